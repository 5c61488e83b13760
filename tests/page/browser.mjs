// Opens pages in a browser without a window, does what standard input says and reports what they show.
//   echo '{"page": "PAGE.html", "steps": [{"press": "w"}]}' | node browser.mjs
// Each line of input is one page, in a browser context of its own, and each is answered by a line; the first says "ready".
// Input: {page: a file or http://127.0.0.1:PORT/..., scheme, hash, width, height, steps}; a step is one of press, click [x, y],
// move [x, y], wheel [x, y, by], drag [x, y, to x, to y] (with shift: true), fill text, evaluate expression, screenshot file,
// theme. Output: {errors, requests, title, shown: the page's numbers before the first step and after each, with `value` of
// what was evaluated}.
// Exit code 77: there is no browser, or no playwright-core (NODE_PATH says where it is).
import { createRequire } from 'module';
import { existsSync } from 'fs';
import { resolve } from 'path';
import { createInterface } from 'readline';

const executable = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(path => path && existsSync(path));
let playwright;
try { playwright = createRequire(import.meta.url)('playwright-core'); } catch { playwright = null; }
if (executable === undefined || playwright === null) {
  console.error(executable === undefined ? 'no chromium-headless-shell and no chromium' : 'no playwright-core in NODE_PATH');
  process.exit(77);
}

// Runs in the page before its own script: counts what the page has put off, and waits a tenth of the time, as nobody types here.
function watch() {
  const after = window.setTimeout.bind(window), drop = window.clearTimeout.bind(window), waiting = new Set();
  window.setTimeout = (act, delay, ...more) => {
    const timer = after(() => { waiting.delete(timer); act(...more); }, delay / 10);
    waiting.add(timer);
    return timer;
  };
  window.clearTimeout = timer => { waiting.delete(timer); drop(timer); };
  const atRest = () => document.body.dataset.ready && document.body.dataset.pending === '0' && waiting.size === 0 && !scheduled && coming.size === 0;
  const frame = () => new Promise(requestAnimationFrame);
  const pause = delay => new Promise(done => after(done, delay));
  // At rest for three frames in a row, with time between for what streams and promises bring.
  window.settled = async () => {
    for (let quiet = 0; quiet < 3; quiet = atRest() ? quiet + 1 : 0) { await frame(); await pause(10); }
  };
}

async function act(page, step) {
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

async function settle(page) {
  let late;
  const limit = new Promise((_, fail) => { late = setTimeout(() => fail(new Error('the page does not come to rest')), 30000); });
  await Promise.race([page.evaluate(() => window.settled()), limit]).finally(() => clearTimeout(late));
}

async function look(page, step) {
  await settle(page);
  const value = step.evaluate && await page.evaluate(step.evaluate);
  if (step.evaluate) await settle(page);
  const shown = await page.evaluate(() => ({ ...document.body.dataset, hash: location.hash, status: document.getElementById('status').textContent }));
  if (step.evaluate) shown.value = value;
  if (step.screenshot) await page.screenshot({ path: step.screenshot });
  return shown;
}

async function report(browser, script) {
  const page = await browser.newPage({ viewport: { width: script.width || 1600, height: script.height || 900 }, colorScheme: script.scheme || 'light' });
  const file = script.page.startsWith('http:') ? script.page : 'file://' + resolve(script.page), made = { errors: [], requests: [], shown: [] };
  page.on('pageerror', error => made.errors.push(error.stack));
  page.on('console', message => made.errors.push(message.text()));
  page.on('dialog', dialog => { made.errors.push('dialog ' + dialog.message()); dialog.dismiss(); });
  page.on('request', request => { if (!request.url().startsWith(file)) made.requests.push(request.url()); });
  try {
    await page.addInitScript(watch);
    await page.goto(file + (script.hash || ''));
    made.shown.push(await look(page, {}));
    for (const step of script.steps || []) { await act(page, step); made.shown.push(await look(page, step)); }
    made.title = await page.title();
  } catch (error) {
    made.errors.push(String(error));
  }
  await page.close();
  return made;
}

const browser = await playwright.chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
console.log('"ready"');
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await report(browser, JSON.parse(line))));
await browser.close();
