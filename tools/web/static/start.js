// 把页面里的活的图画出来。规格写在 <figure class="vega"> 的 <script> 里，Vega 来自 vega.js。
document.addEventListener("DOMContentLoaded", () => {
  for (const figure of document.querySelectorAll("figure.vega")) {
    const area = document.createElement("div");
    area.className = "view";
    figure.append(area);
    const specification = JSON.parse(figure.querySelector("script").textContent);
    new vega.View(vega.parse(specification), {
      container: area,
      hover: true,
      loader: vega.loader({ load: () => Promise.reject(new Error("网页版不向外取东西")) }),
    })
      .runAsync()
      .then((view) => {
        figure.classList.add("live");
        figure.view = view; // 供浏览器测试读信号
      });
  }
});
