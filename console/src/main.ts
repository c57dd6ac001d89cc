// Puts the pages together: which one is shown, and when each is asked for news.
import { Activity } from "./activity";
import { get, Refused } from "./api";
import { h } from "./dom";
import { History } from "./history";
import { Overview } from "./overview";
import type { Page } from "./page";
import { RowKeys } from "./rowkeys";
import { Tables } from "./tables";
import { Workbench } from "./workbench";

const pages: Page[] = [new Overview(), new Tables(), new Workbench(), new RowKeys(), new Activity()];
const history = new History();
const main = document.getElementById("main") as HTMLElement;
const tabs = document.getElementById("tabs") as HTMLElement;
const health = document.getElementById("health") as HTMLElement;
let shown: Page | null = null;
let refreshed = 0;

const links = new Map(pages.map((page) => [page, h("a", { href: "#" + page.name }, page.title)]));
tabs.append(...links.values());

function setHealth(state: string, text: string) {
  if (health.textContent !== text) health.textContent = text;
  health.className = "health " + state;
}

function show() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  const page = pages.find((each) => each.name === name) ?? pages[0];
  for (const [each, link] of links) {
    if (each === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = page.title + " – Bennu console";
  if (shown !== page) main.replaceChildren(page.element);
  shown = page;
  refreshed = 0;
  page.shown?.(rest.join("/"));
  void tick();
}

let busy = false;
async function tick() {
  if (busy || document.hidden) return;
  busy = true;
  try {
    await history.poll();
    const page = shown;
    if (page !== null && (refreshed === 0 || (page.every > 0 && performance.now() - refreshed >= page.every - 100))) {
      refreshed = performance.now();
      await page.refresh(history);
    }
    setHealth("well", "serving");
  } catch (error) {
    setHealth("ill", error instanceof Refused ? error.message : String(error));
  } finally {
    busy = false;
  }
}

addEventListener("hashchange", show);
document.addEventListener("visibilitychange", () => void tick());
show();
setInterval(() => void tick(), 1000);
get("overview").then((overview) => {
  (document.getElementById("version") as HTMLElement).textContent = overview.version;
}).catch(() => undefined);
