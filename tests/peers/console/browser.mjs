// A browser, and pages of it in which all that goes wrong is noted.
// The program that imports it is called with ADDRESS CHROMIUM FOLDER-FOR-SCREENSHOTS.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { chromium } from "playwright-core";

export { assert };
export const [address, executablePath, images] = process.argv.slice(2);
export const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
export const problems = [];
export let steps = 0;
export const step = (name) => {
  ++steps;
  console.log(`   ${name}`);
};

export function watch(page) {
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  // Nothing is asked of anybody but this server.
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith("data:") && !url.startsWith("blob:")) problems.push("a request to " + url);
  });
  return page;
}
export async function until(what, look) {
  for (let tries = 0; tries < 100; ++tries) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("it does not come: " + what);
}

export const context = await browser.newContext({ viewport: { width: 1240, height: 780 }, colorScheme: "light" });
export const page = watch(await context.newPage());
export const shoot = (name) => page.screenshot({ path: join(images, name + ".png") });
export const open = async (name) => {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
};
export const text = (selector) => page.locator(selector).innerText();

export async function finish() {
  await browser.close();
  // A session that the other page was busy in may be told that its page is gone.
  assert.deepEqual(problems, []);
  console.log(`well: ${steps} steps`);
}
