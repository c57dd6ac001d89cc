// EXPLAIN ANALYZE as a picture: the operators as boxes, the rows between them as lines whose width
// follows their number, and a bar for each operator's part of the time.
import type { Plan, PlanNode } from "./api";
import { h, svg } from "./dom";
import { bytes, count, millis, short } from "./format";

const width = 250;
const height = 88;
const gapX = 26;
const gapY = 34;

interface Placed { node: PlanNode; x: number; y: number; children: Placed[] }

// Leaves side by side, each node above the middle of its children.
function place(node: PlanNode, depth: number, left: number): { placed: Placed; right: number } {
  const children: Placed[] = [];
  let right = left;
  for (const child of node.children) {
    const next = place(child, depth + 1, right);
    children.push(next.placed);
    right = next.right;
  }
  if (children.length === 0) right = left + width + gapX;
  const x = children.length === 0 ? left : (children[0].x + children[children.length - 1].x) / 2;
  return { placed: { node, x, y: depth * (height + gapY), children }, right };
}

function flat(placed: Placed): Placed[] {
  return [placed, ...placed.children.flatMap(flat)];
}

function clip(text: string, length: number): string {
  return text.length > length ? text.slice(0, length - 1) + "…" : text;
}

export function drawPlan(plan: Plan, choose: (node: PlanNode) => void): HTMLElement {
  const all: Placed[] = [];
  let right = 0;
  for (const root of plan.nodes) {
    const next = place(root, 0, right);
    all.push(...flat(next.placed));
    right = next.right;
  }
  const total = all.reduce((sum, { node }) => sum + (node.ms ?? 0), 0) || 1;
  const bottom = Math.max(...all.map(({ y }) => y)) + height;
  const lines: SVGElement[] = [];
  const boxes: SVGElement[] = [];
  for (const { node, x, y, children } of all) {
    for (const child of children) {
      const rows = child.node.rows;
      const from = [child.x + width / 2, child.y];
      const to = [x + width / 2, y + height];
      const middle = (from[1] + to[1]) / 2;
      lines.push(svg("path", { d: `M${from} C${from[0]},${middle} ${to[0]},${middle} ${to}`, class: "flow",
        "stroke-width": 1 + Math.log10(1 + (rows ?? 0)) }));
      if (rows !== undefined) {
        lines.push(svg("text", child.x < x ? { x: from[0] - 8, y: from[1] - 6, class: "rows end" }
          : { x: from[0] + 8, y: from[1] - 6, class: "rows" }, short(rows) + (rows === 1 ? " row" : " rows")));
      }
    }
    const share = (node.ms ?? 0) / total;
    const label = `${node.name} ${node.detail}` + (node.rows === undefined ? "" : `, ${count(node.rows)} rows, ${millis(node.ms ?? 0)}`);
    const box: SVGElement = svg("g", { class: "box" + (share > 0.3 ? " hot" : ""), transform: `translate(${x},${y})`, tabindex: 0,
      role: "button", "aria-label": label },
      svg("rect", { width, height, rx: 8 }),
      svg("text", { x: 12, y: 24, class: "name" }, clip(node.name, 30)),
      svg("text", { x: 12, y: 43, class: "detail" }, clip(node.detail, 36)),
      svg("text", { x: 12, y: 68, class: "numbers" }, node.rows === undefined ? "" : short(node.rows) + (node.rows === 1 ? " row" : " rows")),
      svg("text", { x: width - 12, y: 68, class: "numbers end" }, node.ms === undefined ? "" : `${millis(node.ms)} · ${Math.round(100 * share)} %`),
      svg("rect", { x: 12, y: height - 12, width: width - 24, height: 4, rx: 2, class: "track" }),
      svg("rect", { x: 12, y: height - 12, width: Math.max(0, (width - 24) * share), height: 4, rx: 2, class: "share" }));
    box.append(svg("title", {}, label));
    const select = () => {
      for (const other of boxes) other.classList.toggle("chosen", other === box);
      choose(node);
    };
    box.addEventListener("click", select);
    box.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key !== "Enter" && (event as KeyboardEvent).key !== " ") return;
      event.preventDefault();
      select();
    });
    boxes.push(box);
  }
  const totals = plan.totals;
  const summary = [`${count(totals.rows)} rows in ${millis(totals.ms)}`,
    `${count(totals.morsels)} parts on ${count(totals.threads)} threads`,
    `${bytes(totals.memory_bytes)} of memory`, totals.spilled_bytes > 0 ? `${bytes(totals.spilled_bytes)} on disk` : ""];
  const picture = svg("svg", { width: right - gapX + 4, height: bottom + 4, viewBox: `-2 -2 ${right - gapX + 4} ${bottom + 4}`,
    class: "plan", role: "group", "aria-label": "Operators, the last one at the top" }, ...lines, ...boxes);
  return h("div", {}, totals.ms > 0 ? h("p", { class: "muted" }, summary.filter(Boolean).join(" · ")) : null,
      h("div", { class: "scroll picture", tabindex: "0", role: "region", "aria-label": "Plan" }, picture));
}

export function describe(node: PlanNode): HTMLElement {
  return h("div", { class: "notes" }, h("h3", {}, node.name), h("p", {}, h("code", {}, node.detail)),
      h("p", { class: "muted" }, [node.rows === undefined ? "" : count(node.rows) + " rows",
        node.ms === undefined ? "" : millis(node.ms) + " of its own",
        node.memory_bytes === undefined ? "" : bytes(node.memory_bytes) + " of memory"].filter(Boolean).join(" · ")),
      ...node.notes.map((note) => h("p", {}, h("code", {}, note))));
}
