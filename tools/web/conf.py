"""Sphinx 的设置。由 web.build 使用，不必直接运行 sphinx-build。"""

from pathlib import Path

import course

import web

project = "sinpe：正弦位置编码"
author = "the sinpe authors"
language = "zh_CN"

extensions = ["myst_nb", "web.extension"]
nb_execution_mode = "off"  # 照存下的输出显示
nb_merge_streams = True
nb_render_image_options = {"align": "left"}
nb_code_prompt_show = "展开代码"
nb_code_prompt_hide = "收起代码"
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4  # 课里的链接写作 01_x.ipynb#1-两句话
myst_dmath_double_inline = True

html_theme = "sphinx_book_theme"
html_title = project
html_static_path = [str(Path(web.HERE, "static"))]
html_css_files = ["course.css", ("paper.css", {"media": "print"})]
html_js_files = ["offline.js"]
html_favicon = str(Path(web.HERE, "static", "icon.svg"))
html_use_index = False
html_context = {"default_mode": "auto"}  # 浅色或深色，先随系统
html_sourcelink_suffix = ""  # 下载到的是 .ipynb，不是 .ipynb.txt
html_show_copyright = False
html_search_language = "zh-pairs"
html_permalinks_icon = "¶"
html_theme_options = {
    "show_navbar_depth": 1,
    "use_download_button": False,  # 它叫 “.ipynb”；每页开头有写明了的一句
    "use_fullscreen_button": False,
    "home_page_in_toc": False,
    "toc_title": "本页",
    "search_bar_text": "在课程里找，例如：角频率",
    "navbar_persistent": [],
    "footer_content_items": ["extra-footer"],
    "extra_footer": "代码用 MIT 许可，文字和图用 CC BY 4.0。",
    "article_header_end": ["article-header-buttons"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if url := course.address():
    html_theme_options |= {"repository_url": url, "use_repository_button": True}

# MathJax 的脚本随网页放在一起
mathjax_path = "tex-svg-full.js"
mathjax3_config = {"svg": {"scale": 0.92}, "options": {"skipHtmlTags": ["script", "style", "textarea", "pre", "code"]}}
