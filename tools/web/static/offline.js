// 从硬盘打开时，浏览器不许页面读别的文件，搜索结果就只列题目，不取摘录
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
