// Whether one can read what a page shows: the contrast of each text that is seen with what lies under it, in both
// themes. WCAG 2.2, success criterion 1.4.3: 4.5 to 1, and 3 to 1 for large text. Parts that are disabled, and what
// is drawn on a canvas, are not looked at.
import { assert, problems } from "./browser.mjs";

let count = 0;
export const textsLookedAt = () => count;

// Runs in the page. Returns how many texts there are, and those that are hard to read.
function look() {
  // Colours as computed: rgb(…), rgba(…) or color(srgb …).
  const parse = (text) => {
    const numbers = (text.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number);
    if (text === "none" || numbers.length < 3) return [0, 0, 0, 0];
    const unit = text.startsWith("color(") ? 255 : 1;
    return [...numbers.slice(0, 3).map((part) => part * unit), numbers[3] ?? 1];
  };
  const mix = (under, over, share) => under.map((part, i) => part + (over[i] - part) * share);
  const over = (colour, under) => mix(under, colour.slice(0, 3), colour[3]);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const opacity = (element) => {
    let share = 1;
    for (let at = element; at; at = at.parentElement) share *= Number(getComputedStyle(at).opacity);
    return share;
  };
  const isShape = (element) => element instanceof SVGGeometryElement;
  const painted = (element) => {
    const style = getComputedStyle(element);
    if (isShape(element)) {
      const [r, g, b, a] = parse(style.fill);
      return [r, g, b, a * Number(style.fillOpacity)];
    }
    return element instanceof SVGElement ? [0, 0, 0, 0] : parse(style.backgroundColor);
  };
  // What lies under the point, from the page up to the element itself. Who is asked only has parts that take a click.
  const backgroundOf = (element, x, y) => {
    const stack = document.elementsFromPoint(x, y);
    const own = stack.indexOf(element);
    if (own < 0) return undefined;  // something else covers it
    return stack.slice(own).reverse().reduce((colour, each) => {
      const [r, g, b, a] = painted(each);
      return over([r, g, b, a * opacity(each)], colour);
    }, [255, 255, 255]);
  };
  const everything = new CSSStyleSheet();
  everything.replaceSync("* { pointer-events: auto !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, everything];

  const seen = [];  // [element, colour, rectangle, words]
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const words = walker.currentNode.nodeValue.trim();
    if (!words || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const style = getComputedStyle(element);
    seen.push([element, parse(element instanceof SVGElement ? style.fill : style.color), () => range.getClientRects()[0], words]);
  }
  for (const element of document.querySelectorAll("input:not([type=checkbox]), textarea")) {
    const words = element.value || element.placeholder;
    if (!words || !element.checkVisibility()) continue;
    const style = getComputedStyle(element, element.value ? null : "::placeholder");
    seen.push([element, parse(style.color), () => element.getBoundingClientRect(), words]);
  }

  let looked = 0;
  const bad = [];
  const scrolled = [...document.querySelectorAll("*")].filter((each) => each.scrollTop || each.scrollLeft)
      .map((each) => [each, each.scrollTop, each.scrollLeft]);
  for (const [element, colour, place, words] of seen) {
    if (element.closest(":disabled, [aria-disabled=true]")) continue;
    let rectangle = place();
    if (!rectangle || rectangle.width < 2 || rectangle.height < 2) continue;
    if (rectangle.top < 0 || rectangle.bottom > innerHeight || rectangle.left < 0 || rectangle.right > innerWidth) {
      element.scrollIntoView({ block: "center", inline: "nearest" });
      rectangle = place();
    }
    const x = rectangle.left + Math.min(rectangle.width / 2, 12);
    const under = backgroundOf(element, x, rectangle.top + rectangle.height / 2);
    if (!under) continue;
    ++looked;
    const [r, g, b, a] = colour;
    const shown = over([r, g, b, a * opacity(element)], under);
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const contrast = ratio(shown, under);
    const hex = (parts) => "#" + parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
    if (contrast >= least) continue;
    const which = [element.tagName.toLowerCase(), ...element.classList].join(".");
    bad.push(`'${words.slice(0, 40)}' (${which}) ${hex(shown)} on ${hex(under)} is ${contrast.toFixed(2)} to 1`);
  }
  for (const [each, top, left] of scrolled) each.scrollTo(left, top);
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== everything);
  return { looked, bad: [...new Set(bad)] };
}

// Looks at what the page shows now, of which 'least' texts are to be there; what is hard to read is a problem, which
// finish() tells. The page has the light theme before and afterwards.
export async function readable(page, where, least) {
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    const { looked, bad } = await page.evaluate(look);
    problems.push(...bad.map((each) => `${where}, ${colorScheme}: ${each}`));
    assert.ok(looked >= least, `${where}, ${colorScheme}: only ${looked} texts were found`);
    count += looked;
  }
}
