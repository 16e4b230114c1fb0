"""Sphinx 的扩展：中文搜索；读笔记本时改几处；页面上的几处。"""

import re

from sphinx.search import SearchLanguage, languages

import web


class Pairs(SearchLanguage):
    """中文按相邻的两个字来找，拉丁字母和数字按词。

    不用词典：自注意力拆成自注、注意、意力，三个都在的页就是。Python 建索引，JavaScript 拆查询，两边拆法相同。
    """

    lang = "zh-pairs"
    language_name = "Chinese"
    js_splitter_code = r"""
var splitQuery = query => [...query.matchAll(/[\u3007\u3400-\u9fff]+|(?:(?![\u3007\u3400-\u9fff])[\p{L}\p{N}_])+/gu)]
  .flatMap(([run]) => /^[\u3007\u3400-\u9fff]{2}/.test(run)
    ? [...run.slice(1)].map((_, i) => run.slice(i, i + 2)) : [run]);
"""

    def split(self, text: str) -> list[str]:
        found = []
        for run in re.findall(r"[\u3007\u3400-\u9fff]+|[^\W\u3007\u3400-\u9fff]+", text):
            han = "\u3007" <= run[0] <= "\u9fff" and len(run) > 1
            found += [run[i : i + 2] for i in range(len(run) - 1)] if han else [run.lower()]
        return found

    def word_filter(self, word: str) -> bool:
        return not word.isdigit()


def read_source(app, docname, source):
    path = web.sources().get(docname)
    if path is None:
        return
    if path.suffix == ".ipynb":
        source[0] = web.prepare(source[0], path)
    else:
        source[0] = web.relink(source[0], path)


def page_context(app, pagename, template, context, doctree):
    if 'class="vega"' in context.get("body", ""):
        app.add_js_file("vega.js")
        app.add_js_file("start.js")
    # 读完最后一课不接着翻解答；解答页上下各有一条回课里的路
    if pagename.startswith("solutions/"):
        context["prev"] = context["next"] = None
    elif pagename == "glossary":
        context["next"] = None


def setup(app):
    languages[Pairs.lang] = Pairs
    app.connect("source-read", read_source)
    app.connect("html-page-context", page_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
