// Tells the values under the pointer: the nearest point of the plot, or the cell of a heat map.
(() => {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const show = (value) => {
    const size = Math.abs(value);
    return size !== 0 && (size < 0.001 || size >= 1e6) ? value.toExponential(2)
      : String(Number(value.toPrecision(4)));
  };
  const read = (value, axis) => show(axis.log ? 10 ** value : value);
  for (const figure of document.querySelectorAll("figure")) {
    const svg = figure.querySelector("svg");
    let plot = null;
    const text = (px, py) => {
      plot ??= JSON.parse(figure.querySelector("script").textContent);
      const [left, top, right, bottom] = plot.area;
      if (px < left || px > right || py < top || py > bottom) return null;
      const [x, y] = plot.axes;
      if (plot.heat) {
        const { columns, rows, values, label } = plot.heat;
        const column = Math.min(columns.length - 1, Math.floor((px - left) / (right - left) * columns.length));
        const row = Math.min(rows.length - 1, Math.floor((bottom - py) / (bottom - top) * rows.length));
        return `${x.label}: ${columns[column]}\n${y.label}: ${rows[row]}\n${label}: ${show(values[row][column])}`;
      }
      let best = null;
      for (const [name, points] of plot.lines) {
        for (let at = 0; at < points.length; at += 2) {
          const [vx, vy] = [points[at], points[at + 1]];
          const dx = left + (vx - plot.x[0]) / (plot.x[1] - plot.x[0]) * (right - left) - px;
          const dy = bottom - (vy - plot.y[0]) / (plot.y[1] - plot.y[0]) * (bottom - top) - py;
          const distance = dx * dx * 4 + dy * dy;
          if (!best || distance < best.distance) best = { distance, name, vx, vy };
        }
      }
      return best && `${best.name}\n${x.label}: ${read(best.vx, x)}\n${y.label}: ${read(best.vy, y)}`;
    };
    const tell = (event) => {
      const box = svg.getBoundingClientRect();
      const view = svg.viewBox.baseVal;
      const found = text((event.clientX - box.left) / box.width * view.width,
        (event.clientY - box.top) / box.height * view.height);
      tip.hidden = !found;
      if (!found) return;
      tip.textContent = found;
      const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
      tip.style.left = `${Math.max(4, left)}px`;
      tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
    };
    figure.addEventListener("pointermove", tell);
    figure.addEventListener("pointerdown", tell);
    // A finger that is lifted leaves what it asked for.
    figure.addEventListener("pointerleave", (event) => { tip.hidden ||= event.pointerType === "mouse"; });
  }
})();
