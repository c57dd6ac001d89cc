// Walks through the console in Chromium, checks what it shows and takes the pictures of
// docs/console.md.
//   node walk.mjs ADDRESS CHROMIUM FOLDER-FOR-SCREENSHOTS
import { join } from "node:path";
import { readable, textsLookedAt } from "./contrast.mjs";
import { address, assert, context, finish, images, open, page, shoot, step, text, until, watch } from "./browser.mjs";

await page.goto(address);
await until("the health", async () => (await text("#health")) === "serving");

// Statements of another page, so that there is something to see.
const busy = watch(await context.newPage());
await busy.goto(address);
await busy.evaluate(() => {
  const token = document.querySelector('meta[name="bennu-token"]').content;
  const run = (sql, session) => fetch("api/v1/sql", { method: "POST", headers: { "X-Bennu-Token": token },
    body: JSON.stringify({ sql, session }) }).then((answer) => answer.json());
  let number = 0;
  const work = async (session) => {
    for (;;) {
      const id = ++number;
      const sql = id % 40 === 0 ? "SELECT STATE, COUNT(*) FROM SHOP.ORDERS GROUP BY STATE"
        : id % 4 === 0 ? `UPSERT INTO SHOP.NOTES VALUES ('m${id}', 'note')`
        : `SELECT AMOUNT FROM SHOP.ORDERS WHERE REGION = 'north' AND ID = ${4 * (id % 500)}`;
      session = (await run(sql, session)).session;
      await new Promise((resolve) => setTimeout(resolve, 15 + 10 * Math.sin(Date.now() / 3000)));
    }
  };
  void work();
  void work();
});

step("SQL: a statement, its columns and rows");
await open("SQL");
const editor = page.locator(".cm-content");
const write = async (sql) => {
  await editor.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(sql);
};
const statusSays = (pattern) => until(String(pattern), async () => pattern.test(await text(".tools [role=status]")));
await write("SELECT REGION, STATE, COUNT(*) AS ORDERS, SUM(AMOUNT) AS TOTAL\nFROM SHOP.ORDERS\nWHERE ID < 4000\nGROUP BY REGION, STATE\nORDER BY TOTAL DESC;\n\nSELECT * FROM SHOP.CUSTOMERS;\n");
await page.keyboard.press("Control+Home");
await page.keyboard.press("Control+Enter");
await statusSays(/^4 rows, /);
assert.match(await text(".results thead"), /REGION\s+VARCHAR\(8\)[\s\S]*TOTAL\s+DECIMAL/);
assert.match(await text(".results tbody tr:first-child"), /1\s+west\s+open\s+1,?000/);
assert.ok((await page.locator(".cm-line .tok-keyword").count()) > 5, "keywords have their colour");
await shoot("console-sql");
await readable(page, "SQL, rows", 30);

step("SQL: the statement at the cursor; NULL");
await page.keyboard.press("Control+End");
await page.keyboard.press("ArrowUp");
await page.keyboard.press("Control+Enter");
await until("customers", async () => /Dara\s+NULL\s+NULL/.test(await text(".results tbody")));
await readable(page, "SQL, NULL", 20);

step("SQL: pages of rows as one scrolls");
await write("SELECT * FROM SHOP.ORDERS ORDER BY ID");
await page.keyboard.press("Control+Enter");
await statusSays(/^1,000 rows so far/);
await page.locator(".grid").evaluate((grid) => { grid.scrollTop = grid.scrollHeight; });
await statusSays(/^2,000 rows so far/);
assert.ok((await page.locator(".results tbody tr").count()) < 150, "only what is seen is in the document");
const download = page.waitForEvent("download");
await page.getByRole("button", { name: "Download CSV" }).click();
const file = await (await download).createReadStream();
let csv = "";
for await (const part of file) csv += part;
const lines = csv.trim().split("\r\n");
assert.equal(lines.length, 8193);
assert.equal(lines[0], "REGION,ID,CUSTOMER,AMOUNT,STATE");

step("SQL: an error at its place");
await write("SELECT REGION, COUNT(*)\nFROM SHOP.ORDERS\nWHERE AMOUNTS > 5\nGROUP BY REGION");
await page.keyboard.press("Control+Enter");
await statusSays(/^failed$/);
assert.match(await text(".error"), /ERROR 504 \(42703\) at line 3, column 7/);
assert.equal(await text(".cm-lintRange-error"), "AMOUNTS");
await readable(page, "SQL, an error", 20);

step("SQL: completion");
await write("SELECT * FROM SHOP.");
await page.keyboard.type("CU");
await page.locator(".cm-tooltip-autocomplete").getByText("SHOP.CUSTOMERS").waitFor();
await readable(page, "SQL, completion", 15);
await page.waitForTimeout(200); // the editor takes no key at once, which might be meant for the text
await page.keyboard.press("Enter");
await until("the word", async () => (await text(".cm-content")).trim() === "SELECT * FROM SHOP.CUSTOMERS");

step("SQL: a statement is cancelled");
await write("SELECT COUNT(*) FROM SHOP.ORDERS A, SHOP.ORDERS B, SHOP.ORDERS C WHERE A.ID + B.ID + C.ID < 0");
await page.keyboard.press("Control+Enter");
await statusSays(/^running for 1\./);
const other = watch(await context.newPage());
await other.goto(address + "/#activity");
await until("the statement in the list", async () => /FROM SHOP.ORDERS A, SHOP.ORDERS B/.test(await other.locator("table").first().innerText()));
await readable(other, "Activity", 15);
await other.screenshot({ path: join(images, "console-activity.png") });
await other.close();
await page.getByRole("button", { name: "Cancel" }).click();
await statusSays(/^failed$/);
assert.match(await text(".error"), /cancelled/);

step("SQL: a plan as a picture");
await write("SELECT C.CITY, COUNT(*) AS ORDERS, SUM(O.AMOUNT) AS TOTAL\nFROM SHOP.ORDERS O JOIN SHOP.CUSTOMERS C ON O.CUSTOMER = C.NAME\nWHERE O.STATE = 'open'\nGROUP BY C.CITY ORDER BY TOTAL DESC LIMIT 3");
await page.getByRole("button", { name: "Explain analyze" }).click();
await page.locator(".plan .box").first().waitFor();
const names = await page.locator(".plan .name").allTextContents();
assert.ok(names[0] === "Limit" && names.includes("Hash join") && names.includes("Full scan"), String(names));
await page.locator(".plan .box", { hasText: "Full scan" }).first().click();
assert.match(await text(".notes"), /READ [\d]+ ROWS/);
await page.locator(".notes").first().scrollIntoViewIfNeeded();
await shoot("console-plan");
await readable(page, "SQL, a plan", 30);

step("row keys: a VARBINARY_ENCODED key, from its values and from its bytes");
await open("Row keys");
await page.getByLabel("Table").fill("SHOP.BLOBS");
await page.getByLabel("Table").press("Tab");
await page.getByLabel("OWNER VARBINARY_ENCODED", { exact: true }).fill("0100ff");
await page.getByLabel("PART VARBINARY_ENCODED DESC", { exact: true }).fill("00aa");
await page.getByLabel("NUMBER INTEGER", { exact: true }).fill("7");
const hexField = page.getByLabel("Key, in hexadecimal digits");
await until("the key", async () => (await hexField.inputValue()).slice(2) === "0100ffff0001ff0055fffe80000007");
const parts = await text("main table");
assert.match(parts, /salt[\s\S]*bucket \d of 8[\s\S]*OWNER[\s\S]*0100ff\s+0100ffff[\s\S]*separator\s+0001[\s\S]*PART[\s\S]*00aa\s+ff0055[\s\S]*terminator\s+fffe[\s\S]*NUMBER[\s\S]*7\s+80000007/);
await shoot("console-keys");
await readable(page, "Row keys", 40);
const key = await hexField.inputValue();
await hexField.fill(key.replace(/80000007$/, "80000009"));
await until("the number", async () => (await page.getByLabel("NUMBER INTEGER", { exact: true }).inputValue()) === "9");
assert.match(await text("main table"), /belongs to bucket/);
await readable(page, "Row keys, a wrong bucket", 40);
await hexField.fill("zz");
await until("an error", async () => /hex/i.test(await text("main")));
await readable(page, "Row keys, no key", 15);

step("tables, and one of them");
await open("Tables");
await page.getByRole("link", { name: "SHOP.ORDERS" }).waitFor();
assert.ok(!(await text("main")).includes("SYSTEM.CATALOG"));
await readable(page, "Tables", 20);
await page.getByRole("button", { name: "On disk" }).click();
await page.getByRole("link", { name: "SHOP.ORDERS" }).click();
await until("four regions", async () => (await page.locator("table").nth(1).locator("tbody tr").count()) === 4);
await readable(page, "a table", 30);

step("charts move");
await open("Overview");
const points = () => page.locator(".chart .legend").first().innerText();
const before = await points();
await until("other numbers", async () => (await points()) !== before);
const pixels = () => page.locator(".chart canvas").first().evaluate((canvas) => canvas.toDataURL());
const drawn = await pixels();
await until("another picture", async () => (await pixels()) !== drawn);
await until("rows of SQL", async () => /read from tables [\d.]/.test(await page.locator(".chart .legend").nth(3).innerText()));
await until("the times of calls", async () => /p95 [\d.]/.test(await page.locator(".chart .legend").nth(2).innerText()));
await page.waitForTimeout(Math.max(0, 26_000 - performance.now()));
await shoot("console-overview");
await readable(page, "Overview", 40);

step("by the keyboard alone");
await page.reload();
await until("the health", async () => (await text("#health")) === "serving");
await page.keyboard.press("Tab");
assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
await page.keyboard.press("Tab");
await page.keyboard.press("Tab");
assert.equal(await page.evaluate(() => document.activeElement.textContent), "Tables");
await page.keyboard.press("Enter");
await page.getByRole("heading", { name: "Tables" }).waitFor();
const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input, textarea, a")]
    .filter((each) => !(each.textContent.trim() || each.getAttribute("aria-label") || each.labels?.length)).length);
assert.equal(unnamed, 0, "everything has a name");

step("dark, and a narrow window");
await page.emulateMedia({ colorScheme: "dark" });
await open("Overview");
await page.waitForTimeout(3500);
await shoot("console-dark");
await page.setViewportSize({ width: 420, height: 800 });
for (const name of ["Overview", "SQL", "Row keys", "Activity", "Tables"]) {
  await open(name);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
}

console.log(`   ${textsLookedAt()} texts have contrast enough`);
await finish();
