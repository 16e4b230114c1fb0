"""把整套课程写成网页和 PDF。

    python tools/web               写出 site/，从 site/index.html 读起
    python tools/web pdf           整套课程一个 PDF：讲义，提示和答案收起，留出写字的地方；另印一页速查
    python tools/web pdf 02 05     一课一个 PDF
    python tools/web pdf --answers 提示和答案印在最后

PDF 由 Chromium 排版，也写在 site/ 里。--to 可以换一个文件夹；文件夹里原有的同名文件会被覆盖。
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import web  # isort: skip

import notebooks


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python tools/web", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["html", "pdf"], default="html", help="写成什么，默认网页")
    parser.add_argument("lessons", nargs="*", metavar="课号", help="只印这几课，例如 02 05")
    parser.add_argument("--answers", action="store_true", help="提示和答案印在最后")
    parser.add_argument("--to", type=Path, default=notebooks.ROOT / "site", metavar="文件夹", help="写到哪里")
    options = parser.parse_args(argv)
    known = [name[:2] for name in web.sources() if name[:2].isdigit()]
    if unknown := [number for number in options.lessons if number not in known]:
        parser.exit(1, f"没有第 {'、'.join(unknown)} 课；有的是 {'、'.join(known)}\n")
    folder = options.to.resolve()
    count = web.build(folder)
    if options.what == "html":
        print(f"写好了 {count} 页，从 {folder / 'index.html'} 读起。")
        return 0
    from web import paper

    for path in paper.write(folder, options.lessons, options.answers):
        print(f"写好了 {path}。")
    return 0


if __name__ == "__main__":
    sys.exit(main())
