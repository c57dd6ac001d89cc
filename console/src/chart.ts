// A chart over the last minutes, drawn by uPlot in the page's colours.
import uPlot from "uplot";
import { h } from "./dom";
import type { Point } from "./history";

export interface Series { label: string; colour: string; value: (point: Point) => number | null; fill?: boolean }

const dark = matchMedia("(prefers-color-scheme: dark)");
const style = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const spanSecondsMin = 30;

// At most five of them.
function powersOfTen(least: number, most: number): number[] {
  const first = Math.ceil(Math.log10(least) - 1e-9);
  const last = Math.floor(Math.log10(most) + 1e-9);
  const apart = Math.max(1, Math.ceil((last - first) / 4));
  const powers = [];
  for (let power = first; power <= last; power += apart) powers.push(10 ** power);
  return powers;
}

export class Chart {
  readonly element: HTMLElement;
  private readonly place = h("div", { class: "plot" });
  private readonly legend = h("div", { class: "legend" });
  private plot: uPlot | null = null;
  private points: Point[] = [];

  // 'log': values differ so much that the axis grows by powers of ten.
  constructor(title: string, private readonly series: Series[], private readonly text: (value: number) => string,
              private readonly log = false) {
    this.element = h("figure", { class: "chart" }, h("figcaption", {}, h("h3", {}, title), this.legend), this.place);
    new ResizeObserver(() => this.resize()).observe(this.place);
    dark.addEventListener("change", () => {
      this.plot?.destroy();
      this.plot = null;
      this.remake();
    });
  }

  show(points: Point[]) {
    this.points = points;
    if (this.plot === null) this.remake();
    this.plot?.setData(this.data());
    const last = points[points.length - 1];
    this.legend.replaceChildren(...this.series.map((each) => {
      const value = last === undefined ? null : each.value(last);
      return h("span", {}, h("i", { class: "key " + each.colour }), each.label + " ",
          h("b", {}, value === null ? "–" : this.text(value)));
    }));
    this.place.setAttribute("role", "img");
    this.place.setAttribute("aria-label", this.legend.textContent ?? "");
  }

  private data(): uPlot.AlignedData {
    return [this.points.map((point) => point.time),
      ...this.series.map((each) => this.points.map((point) => each.value(point)))] as uPlot.AlignedData;
  }

  private resize() {
    if (this.place.clientWidth === 0) return;
    if (this.plot === null) this.remake();
    else this.plot.setSize({ width: this.place.clientWidth, height: 150 });
  }

  private remake() {
    if (this.place.clientWidth === 0) return;
    this.plot?.destroy();
    const line = style("--line");
    const axis = { stroke: style("--muted"), grid: { stroke: line, width: 1 }, ticks: { show: false },
      font: "11px " + style("--sans") };
    this.plot = new uPlot({
      width: this.place.clientWidth, height: 150, legend: { show: false }, padding: [8, 24, 0, 0],
      cursor: { points: { show: false }, y: false, drag: { x: false, y: false } },
      scales: {
        x: { time: true, range: () => {
          const end = this.points.length > 0 ? this.points[this.points.length - 1].time : Date.now() / 1000;
          return [Math.min(this.points[0]?.time ?? end, end - spanSecondsMin), end];
        } },
        y: this.log
          ? { distr: 3, range: (_, least, most) => least === null || most === null ? [0.01, 100]
            : [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most * 1.01))] }
          : { range: (_, __, most) => [0, (most || 1) * 1.15] },
      },
      axes: [{ ...axis, size: 24, values: (_, ticks) => ticks.map((tick) =>
          new Date(tick * 1000).toLocaleTimeString("sv")), space: 90 },
        { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => this.text(tick)), space: 32,
          ...(this.log ? { filter: (_: uPlot, splits: number[]) => splits, splits: (_: uPlot, __: number, least: number, most: number) => powersOfTen(least, most) } : {}) }],
      series: [{}, ...this.series.map((each) => ({
        label: each.label, stroke: style("--" + each.colour), width: 1.5, points: { show: false },
        fill: each.fill ? style("--" + each.colour) + "22" : undefined, spanGaps: false,
      }))],
    }, this.data(), this.place);
  }
}
