"""只给这门课用的 JupyterLab 设置：README 的命令用 --config 指定它，Binder 由 binder/postBuild 装上。

旁边的 overrides.json 选定中文菜单，不问要不要看新闻，点开 .md 就是排好的样子，文件名不被日期挤掉。
"""

import json
from pathlib import Path

c = get_config()  # noqa: F821  traitlets 读设置时给的

HERE = Path(__file__).parent
if (HERE / "overrides.json").exists():  # 在仓库里；Binder 有自己的地方放它们
    c.LabApp.app_settings_dir = str(HERE)
    c.ServerApp.root_dir = str(HERE.parents[1])  # 不然以 notebooks/ 为根，课里指向术语表的链接就断了


def keep_metadata(model, path, contents_manager, **_):
    """内核没有换，就照抄文件里原有的 kernelspec 与 language_info。

    JupyterLab 一打开笔记本就把它们换成这台机器上的（显示名、Python 的小版本），什么也没做，
    自动保存以后文件就变了，将来 git pull 时会冲突。
    """
    if model["type"] != "notebook":
        return
    try:
        file = Path(contents_manager.root_dir, path.lstrip("/"))
        old = json.loads(file.read_text(encoding="utf-8"))["metadata"]
    except (OSError, ValueError, KeyError):  # 新建的、坏的，照存
        return
    new = model["content"]["metadata"]
    if old.get("kernelspec", {}).get("name") == new.get("kernelspec", {}).get("name"):
        for key in ("kernelspec", "language_info"):
            new.pop(key, None)
            if key in old:
                new[key] = old[key]


c.ContentsManager.pre_save_hook = keep_metadata
