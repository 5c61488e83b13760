// Opens a page in a browser without a window, does what standard input says and reports what it shows.
//   echo '{"steps": [{"press": "w"}]}' | node browser.mjs PAGE.html    or http://127.0.0.1:PORT/...
// Input: {scheme, hash, width, height, steps}; a step is one of press, click [x, y], move [x, y], wheel [x, y, by],
// drag [x, y, to x, to y] (with shift: true), fill text, evaluate expression, screenshot file, theme. Output: JSON,
// {errors, requests, title, shown: the page's numbers before the first step and after each, with `value` of what was evaluated}.
// Exit code 77: there is no browser, or no playwright-core (NODE_PATH says where it is).
import { createRequire } from 'module';
import { existsSync, readFileSync } from 'fs';
import { resolve } from 'path';

const executable = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(path => path && existsSync(path));
let playwright;
try { playwright = createRequire(import.meta.url)('playwright-core'); } catch { playwright = null; }
if (executable === undefined || playwright === null) {
  console.error(executable === undefined ? 'no chromium-headless-shell and no chromium' : 'no playwright-core in NODE_PATH');
  process.exit(77);
}

const script = JSON.parse(readFileSync(0, 'utf8'));
const browser = await playwright.chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: script.width || 1600, height: script.height || 900 }, colorScheme: script.scheme || 'light' });
const [, , place] = process.argv, file = place.startsWith('http:') ? place : 'file://' + resolve(place), report = { errors: [], requests: [], shown: [] };
page.on('pageerror', error => report.errors.push(error.stack));
page.on('console', message => report.errors.push(message.text()));
page.on('dialog', dialog => { report.errors.push('dialog ' + dialog.message()); dialog.dismiss(); });
page.on('request', request => { if (!request.url().startsWith(file)) report.requests.push(request.url()); });
await page.goto(file + (script.hash || ''));

async function settle() {
  // A frame that misses nothing, twice, and what is remembered after 150 ms.
  await page.waitForFunction(() => document.body.dataset.ready && document.body.dataset.pending === '0', null, { timeout: 30000 });
  await page.waitForTimeout(250);
  await page.waitForFunction(() => document.body.dataset.pending === '0', null, { timeout: 30000 });
}
async function act(step) {
  if (step.press) await page.keyboard.press(step.press);
  if (step.click) await page.mouse.click(...step.click);
  if (step.move) await page.mouse.move(...step.move);
  if (step.wheel) { await page.mouse.move(step.wheel[0], step.wheel[1]); await page.mouse.wheel(0, step.wheel[2]); }
  if (step.drag) {
    if (step.shift) await page.keyboard.down('Shift');
    await page.mouse.move(step.drag[0], step.drag[1]);
    await page.mouse.down();
    await page.mouse.move(step.drag[2], step.drag[3], { steps: 6 });
    await page.mouse.up();
    if (step.shift) await page.keyboard.up('Shift');
  }
  if (step.fill !== undefined) await page.fill('#search', step.fill);
  if (step.theme) await page.emulateMedia({ colorScheme: step.theme });
}
async function look(step) {
  await settle();
  const value = step.evaluate && await page.evaluate(step.evaluate);
  if (step.evaluate) await settle();
  const shown = await page.evaluate(() => ({ ...document.body.dataset, hash: location.hash, status: document.getElementById('status').textContent }));
  if (step.evaluate) shown.value = value;
  if (step.screenshot) await page.screenshot({ path: step.screenshot });
  report.shown.push(shown);
}
try {
  await look({});
  for (const step of script.steps || []) { await act(step); await look(step); }
} catch (error) {
  report.errors.push(String(error));
}
report.title = await page.title();
await browser.close();
console.log(JSON.stringify(report));
