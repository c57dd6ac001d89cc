// The console of a gateway in Chromium: what is the cluster's, what is its own, and what it does not
// show since it has none of it.
//   node gateway.mjs ADDRESS CHROMIUM FOLDER-FOR-SCREENSHOTS
import { readable } from "./contrast.mjs";
import { address, assert, finish, open, page, shoot, step, text, until } from "./browser.mjs";

await page.goto(address);
await until("the health", async () => (await text("#health")) === "serving");

step("the cluster's servers and tables");
await until("a server", async () => /Servers\s+1\s+none dead/.test(await text(".cards")));
const cards = await text(".cards");
assert.match(cards, /Tables\s+\d+\s+\d+ regions, 0 in transition/);
for (const store of ["Block cache", "Write-ahead log"]) assert.ok(!cards.includes(store), store);
assert.match(await text(".facts"), /Cluster\s+hbase\+rpc:/);
assert.equal(await page.locator(".chart").count(), 4);
assert.equal(await page.getByRole("link", { name: "jmx" }).isVisible(), false);

step("a table's regions, each with its server");
await open("Tables");
await page.getByRole("link", { name: "SHOP.ORDERS", exact: true }).click();
await until("four regions", async () => (await page.locator("table").nth(1).locator("tbody tr").count()) === 4);
assert.match(await page.locator("table").nth(1).locator("tbody tr").first().innerText(), / on \S+/);

step("SQL over the cluster");
await open("SQL");
await page.locator(".cm-content").click();
await page.keyboard.press("ControlOrMeta+a");
await page.keyboard.press("Delete");
await page.keyboard.insertText("SELECT COUNT(*) AS N FROM SHOP.ORDERS");
await page.keyboard.press("ControlOrMeta+Enter");
await until("a row", async () => /\d{2,}/.test(await text(".results")));

step("what runs is the gateway's");
await open("Activity");
await page.getByRole("heading", { name: "Running statements" }).waitFor();
assert.equal(await page.getByRole("heading", { name: "Flushes and compactions" }).isVisible(), false);
assert.equal(await page.getByRole("heading", { name: "Slow calls" }).isVisible(), false);
await readable(page, "a gateway's Activity", 10);

step("charts move");
await open("Overview");
await until("memory", async () => /process [\d.]/.test(await page.locator(".chart .legend").nth(3).innerText()));
await shoot("console-gateway");
await readable(page, "a gateway's Overview", 25);
await finish();
