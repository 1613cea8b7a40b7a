import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { closePages, HAS_BROWSER, isLive, launchBrowser, openConsole } from '../support/browser.ts';
import { scriptedLlm } from '../support/scripted-llm.ts';
import { textOf } from './actor-page.ts';
import { INJECTIONS } from './injections.ts';
import { openStage, type Stage } from './stage.ts';

/** Names of a request's options are at most this long. */
const OPTION_CHARS_MAX = 200;
/** How long a panel and its page may take, in milliseconds: a hang guard. */
const DECIDED_MS = 15_000;
/** Elements that the console itself is made of; a text that was taken for markup adds others. */
const FOREIGN =
  'script:not([src^="/console/"]), iframe, object, embed, img, image, video, audio, base, math, ' +
  'marquee, template, style, foreignObject, animate, use, [onerror], [onload], [onclick], ' +
  '[onfocus], [ontoggle], a[href^="javascript:" i], a[href^="data:" i], form[action]';

const turns = new Map<string, number>();
/** A model that says one injection after the other, in its argument and in its reasons. */
const llm = scriptedLlm({
  say: ({ modelId, phase, n }) => {
    const place = (turns.get(modelId) ?? turns.size) + n;
    turns.set(modelId, place);
    const text = INJECTIONS[place % INJECTIONS.length] ?? '';
    const stand = phase === 'vote' ? { ranking: ['o1', 'o2', 'o3'] } : { position: 'o1' };
    return { ...stand, argument: `${text} ${INJECTIONS.join(' ').slice(0, 300)}` };
  },
});

vi.setConfig({ testTimeout: 120_000 });
const browserTest = test.skipIf(!HAS_BROWSER);

let browser: Browser;
let stage: Stage;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [browser, stage] = await Promise.all([launchBrowser(), openStage({ llm })]);
}, 120_000);
afterEach(() => closePages(browser));
afterAll(async () => {
  await browser?.close();
  await stage?.end();
});

browserTest('the list holds at least forty different ways in', () => {
  expect(new Set(INJECTIONS).size).toBeGreaterThanOrEqual(40);
});

browserTest(
  'as ids, events and errors of actors none of them runs, loads or becomes markup',
  async () => {
    const ids: string[] = [];
    for (const [index, text] of INJECTIONS.entries()) {
      const id = await created(`i${index} ${text}`.slice(0, 250), `i${index}`);
      ids.push(id);
      await stage.engine.tell(id, { type: 'ADD', n: 1, text, [text]: [text] });
      await stage.engine.tell(id, { type: 'BREAK', text }).catch(() => undefined);
    }
    const guard = await watched();
    await guard.visit('/console/actors');
    for (const id of ids)
      await guard.visit(`/console/actor/${encodeURIComponent(id).replaceAll('.', '%2E')}`, id);
    expect(await guard.findings()).toEqual([]);
  },
);

browserTest(
  'as questions, options and words of a panel none of them runs, loads or becomes markup',
  async () => {
    const guard = await watched();
    for (let at = 0; at < INJECTIONS.length; at += 3) {
      const [one = '', two = '', three = ''] = INJECTIONS.slice(at, at + 3);
      const names = [one, two, three].map((text, place) =>
        `${place} ${text}`.slice(0, OPTION_CHARS_MAX),
      );
      const jobId = `job_${at}`;
      const request = { question: `Which? ${one} ${two} ${three}`, options: names, max_rounds: 1 };
      await stage.debate(jobId, request);
      await expect
        .poll(async () => (await stage.engine.view(jobId)).value, { timeout: DECIDED_MS })
        .toBe('decided');
      await guard.visit(`/console/panel/${jobId}`);
      // Whatever stands there in its place is told by the failure.
      await expect
        .poll(() => textOf(guard.page.locator('main')), { timeout: DECIDED_MS })
        .toContain('Decision');
      expect(await textOf(guard.page.locator('.panel-question'))).toContain('Which?');
    }
    await guard.visit('/console/panels');
    expect(await guard.findings()).toEqual([]);
  },
);

/** A page that tells of everything that ran, was refused, or does not belong. */
async function watched() {
  const { page, strangers, complaints } = await openConsole(browser, stage.served);
  const found: string[] = [];
  page.on('dialog', (dialog) => {
    found.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', () => found.push('popup'));
  await page.addInitScript(() => {
    const refused: string[] = [];
    Object.assign(window, { refused });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      refused.push(`${violatedDirective} ${blockedURI}`);
    });
  });
  return {
    page,
    visit: async (path: string, heading?: string): Promise<void> => {
      await page.goto(`${stage.served.baseUrl}${path}`);
      await isLive(page);
      await page.locator('main :is(h1, .empty-title)').first().waitFor();
      if (heading !== undefined) await expect.poll(() => titleOf(page)).toBe(heading);
      found.push(...(await marksOf(page)).map((mark) => `${path}: ${mark}`));
    },
    findings: async () => [...found, ...strangers, ...complaints],
  };
}

/** Creates an actor; ids that the engine refuses give way to a plain one. */
async function created(id: string, plainId: string): Promise<string> {
  try {
    await stage.engine.create('counter', id);
    return id;
  } catch {
    await stage.engine.create('counter', plainId);
    return plainId;
  }
}

function titleOf(page: Page): Promise<string | null> {
  return page.locator('main h1').first().textContent();
}

/** What in a page was run, refused, or stands there as markup of others. */
function marksOf(page: Page): Promise<readonly string[]> {
  return page.evaluate((foreign) => {
    const { injected, refused = [] } = window as { injected?: unknown; refused?: string[] };
    const parts = [...document.querySelectorAll(foreign)].map(({ outerHTML }) => outerHTML);
    return [...(injected === undefined ? [] : ['a script has run']), ...refused, ...parts];
  }, FOREIGN);
}
