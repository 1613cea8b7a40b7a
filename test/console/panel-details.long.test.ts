import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { besideBrowser, expectForEverybody } from '../support/browser-test.ts';
import { goodFacts, roleOf, steady } from '../support/council.ts';
import type { ScriptedAnswer, ScriptedCall } from '../support/scripted-llm.ts';
import { textOf, texts } from './actor-page.ts';
import { INJECTIONS } from './injections.ts';
import { openPanelStage } from './panel-stage.ts';

const { browserTest, host, open } = besideBrowser(openPanelStage);

/** Nobody dissents but the role for legal matters. */
function council(call: ScriptedCall): ScriptedAnswer {
  const position = roleOf(call) === 'LEGAL' ? 'reject' : 'approve';
  const questions = (role: string) =>
    role === 'CFO' ? [{ to: 'CISO', text: 'Is it encrypted?' }] : [];
  const conditions = [{ text: 'Sign the price cap', owner: 'CFO', due_days: 30 }];
  return steady({ position, questions, opinion: { conditions } })(call);
}

/** The second seat judges otherwise once the sides are swapped. */
function judged({ phase, modelId }: ScriptedCall): ScriptedAnswer {
  const isSwayed = modelId.includes('claude') && phase === 'vote';
  return { position: isSwayed ? 'upheld' : 'overturned', evidenceIds: ['C1', 'L1'] };
}

const FACTS = {
  ...goodFacts(),
  stated: { tco_usd: '120000' },
  security: { ...goodFacts().security, mfa: false },
};

async function inject(page: Page): Promise<unknown> {
  return page.evaluate('window.injected');
}

browserTest('a council is followed from its brief to its decision', async () => {
  const { models } = host();
  models.say = council;
  models.hold('opinion');
  models.hold('answer');
  models.hold('vote');
  await host().council('council_live', { facts: FACTS, start_date: '2026-03-01' });
  const { page, complaints } = await open('/console/panels');
  await page.getByRole('link', { name: 'Should we buy a ticket system from Acme?' }).click();

  const figures = page.getByRole('region', { name: 'Recomputed numbers' });
  await figures.getByText('$140,001.50').or(figures.getByText('$140001.50')).waitFor();
  expect(await texts(page, '[data-wrong] td')).toEqual([
    ...['120000.00 USD', '140001.50 USD', '20001.50 USD'],
  ]);
  expect(await textOf(figures)).toContain('$49998.50');
  await expect.poll(() => texts(page, '.seat-state')).toEqual(Array(5).fill('speaking'));
  expect(await textOf(page.locator('[aria-current="step"]'))).toContain('opinion');
  await page.getByText('Not checked yet.').waitFor();

  models.release('opinion');
  await page.locator('[data-red-line="CISO-01"]').waitFor();
  const asked = page.locator('[data-exchange="CFO/CISO"]');
  await asked.getByText('No answer yet.').waitFor();
  expect(await textOf(asked)).toContain('Is it encrypted?');
  models.release('answer');
  await asked.getByText('CISO answers').waitFor();
  expect(await textOf(asked)).toContain('cites facts.security');
  expect(await page.locator('.decision').count()).toBe(0);

  models.release('vote');
  await page.locator('.decision-option').waitFor();
  expect(await textOf(page.locator('.decision-option'))).toBe('Approve with conditions');
  expect(await textOf(page.locator('.adjusted'))).toBe(
    'The vote chose Approve, overridden by red line CISO-01.',
  );
  expect(await texts(page, '[data-condition="CFO"] td')).toEqual([
    ...['CFO', '2026-03-31', 'CFO, CIO, CISO, PROCUREMENT, LEGAL'],
  ]);
  expect(await texts(page, '.dissent li')).toHaveLength(1);
  expect(await page.locator('[data-ballot]').count()).toBe(5);
  expect(complaints).toEqual([]);
});

browserTest('an arbitration is followed from its window to its verdict', async () => {
  const stage = host();
  stage.models.say = judged;
  stage.models.hold('review');
  stage.models.hold('vote');
  await stage.arbitration('case_live');
  const { page, complaints } = await open('/console/panel/case_live');
  await page.getByText(/The submission window is open\. It ends in 23 h/).waitFor();
  expect(await textOf(page.locator('[aria-current="step"]'))).toContain('evidence');
  expect(await textOf(page.locator('[data-side="claimant"]'))).toContain('nothing submitted');
  await stage.give('case_live', 'buyer', {
    evidence: [{ text: 'The seventh chapter is missing.' }],
  });
  await page.locator('[data-evidence="C1"]').waitFor();
  expect(await textOf(page.locator('[data-evidence="C1"]'))).toContain('when frozen');

  await stage.give('case_live', 'buyer', { is_last: true });
  await stage.give('case_live', 'provider', { is_last: true });
  await page.locator('[data-frozen]').waitFor();
  await page.locator('[data-evidence="C1"] bdi[title]').waitFor();
  expect(await page.locator('[data-evidence="C1"] bdi').getAttribute('title')).toMatch(
    /^[0-9a-f]{64}$/,
  );
  expect(await textOf(page.locator('[data-side="respondent"]'))).toContain('waived');
  await page.getByRole('region', { name: 'Ledger facts' }).waitFor();
  await expect.poll(() => texts(page, '.seat-state')).toEqual(Array(5).fill('speaking'));

  stage.models.release('review');
  await expect.poll(() => page.locator('[data-turn^="review/"]').count()).toBe(5);
  expect(new Set(await texts(page, '.turns .turn-text'))).toContain('secret until the count');
  expect(await page.locator('[data-pass], [data-verdict], [data-ballot]').count()).toBe(0);
  stage.models.release('vote');

  const verdict = page.locator('[data-verdict="overturned"]');
  await verdict.waitFor();
  expect(await texts(page, '[data-pass="B"] td')).toEqual([
    ...['overturned', 'upheld', 'flip: abstains', 'C1, L1'],
  ]);
  const words = await textOf(verdict);
  for (const part of [
    'panel of the operator of this service',
    'In favour ofbuyer',
    'decides the escrow',
    '0 upheld, 4 overturned, 1 abstained because their vote changed with the order',
  ]) {
    expect(words).toContain(part);
  }
  expect(await page.content()).not.toContain('seventh chapter');
  expect(complaints).toEqual([]);
});

browserTest('a council can be read on a phone and by everybody', async () => {
  const stage = host();
  stage.models.say = council;
  for (const phase of ['opinion', 'answer', 'vote']) stage.models.release(phase);
  await stage.council('council_read', { facts: FACTS });
  await expectForEverybody(open, [['/console/panel/council_read', '.adjusted']]);
});

browserTest('an arbitration can be read on a phone and by everybody', async () => {
  const stage = host();
  stage.models.say = judged;
  for (const phase of ['review', 'vote']) stage.models.release(phase);
  await stage.arbitration('case_read');
  await stage.give('case_read', 'buyer', { evidence: [{ text: 'Late.' }], is_last: true });
  await stage.give('case_read', 'provider', { is_last: true });
  await stage.arbitration('case_open');
  await stage.give('case_open', 'buyer', { evidence: [{ text: 'Late.' }] });
  await expectForEverybody(open, [
    ['/console/panel/case_read', '[data-verdict]'],
    ['/console/panel/case_open', '[data-evidence="C1"]'],
  ]);
});

browserTest('texts of others are texts, in briefs, questions, conditions and ballots', async () => {
  const stage = host();
  const all = INJECTIONS.join(' ');
  const short = INJECTIONS.filter((text) => text.length < 90);
  stage.models.say = (call) => {
    const place = stage.models.say.length + INJECTIONS.indexOf(call.modelId) + call.n;
    const text = (at: number) => short[(place + at) % short.length] ?? 'x';
    const opinion = {
      argument: text(0),
      conditions: [0, 1, 2].map((at) => ({ text: text(at), owner: 'CFO', due_days: at })),
      gaps: [text(3), text(4)],
    };
    const questions = () => [{ to: 'CISO', text: text(5) }];
    return { ...(steady({ opinion, questions })(call) as object), argument: text(6) };
  };
  await stage.council('council_hostile', {
    vendor: '<img src=x onerror=window.injected=1>',
    product: INJECTIONS[1],
    background: all,
  });
  const { page, strangers } = await open('/console/panel/council_hostile');
  await page.locator('.decision-option').waitFor();
  for (const button of await page.getByRole('button', { name: /^all .* characters$/ }).all()) {
    await button.click();
  }
  await page.locator('details summary').first().click();
  expect(await page.locator('.panel-main script, .panel-main img, .panel-main svg').count()).toBe(
    0,
  );
  expect(await inject(page)).toBeUndefined();
  expect(await textOf(page.locator('.brief-text'))).toContain(INJECTIONS[0]);
  expect(strangers).toEqual([]);
});
