// Measures a page in a browser without a window: until the overview is there, frames of a walk through all zooms, memory.
//   node bench/page_bench.mjs PAGE.html   (bench/page.sh makes one and calls it)
// Chromium is what CHROMIUM names, else chromium-headless-shell; NODE_PATH leads to playwright-core.
import { createRequire } from 'module';
import { statSync } from 'fs';
import { resolve } from 'path';
const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');

const file = resolve(process.argv[2]);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
});
const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
page.on('pageerror', error => console.error(error.stack));
await page.goto('file://' + file, { waitUntil: 'commit' });
const idle = () => page.waitForFunction(() => document.body && document.body.dataset.ready && document.body.dataset.pending === '0', null, { timeout: 120000 });
await idle();
const overview = await page.evaluate(() => Number(document.body.dataset.complete));

// From everything down to 2 us and back, around three places, with moves in between: 250 frames.
const frames = await page.evaluate(async () => {
  const wait = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const taken = [];
  const span = Number(document.body.dataset.span);
  for (const part of [.2, .5, .83]) {
    for (let step = 0; step < 83; ++step) {
      const level = step < 42 ? step / 41 : (82 - step) / 41;
      const size = span * (2000 / span) ** level;
      const middle = span * part + (step % 5 - 2) * size * .2;
      show(middle - size / 2, middle + size / 2);
      await wait();
      taken.push(Number(document.body.dataset.frame));
    }
  }
  return taken.sort((a, b) => a - b);
});
// Views that were not seen before, until nothing is missing.
const cold = [];
for (const part of [.11, .37, .61, .92]) {
  cold.push(await page.evaluate(async at => {
    const span = Number(document.body.dataset.span), size = span / 400;
    const began = performance.now();
    show(span * at, span * at + size);
    do await new Promise(done => requestAnimationFrame(done)); while (document.body.dataset.pending !== '0');
    await new Promise(done => requestAnimationFrame(done));
    return Math.round(performance.now() - began);
  }, part));
}
const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
const at = part => frames[Math.min(frames.length - 1, Math.floor(frames.length * part))];
console.log(JSON.stringify({
  megabytes: +(statSync(file).size / 1e6).toFixed(1), overview_ms: overview, frames: frames.length,
  median_ms: at(.5), p95_ms: at(.95), max_ms: frames[frames.length - 1], cold_ms: cold, heap_megabytes: +(heap / 1e6).toFixed(0),
}));
await browser.close();
