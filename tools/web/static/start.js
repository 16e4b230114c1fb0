// 把页面里的活的图画出来。规格写在 <figure class="vega"> 的 <script> 里；vega.js 只给出 vegaEmbed 一个名字。
document.addEventListener("DOMContentLoaded", () => {
  for (const figure of document.querySelectorAll("figure.vega")) {
    const area = document.createElement("div");
    area.className = "view";
    figure.append(area);
    const specification = JSON.parse(figure.querySelector("script").textContent);
    delete specification.$schema; // 规格是 Vega 5 的，这里的 Vega 更新，认得；不删，它会提醒一声
    vegaEmbed(area, specification, { mode: "vega", actions: false, renderer: "canvas" }).then(({ view }) => {
      figure.classList.add("live");
      figure.view = view; // 供浏览器测试读信号
    });
  }
});
