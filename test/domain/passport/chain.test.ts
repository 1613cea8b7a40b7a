import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/domain/common/time.ts';
import {
  DELEGATION_LIMITS,
  Delegation,
  type DelegationState,
  deriveDelegationId,
} from '../../../src/domain/passport/delegation.ts';
import {
  isCoveredBy,
  isWithin,
  validateChain,
} from '../../../src/domain/passport/delegation-chain.ts';

const NOW = Date.UTC(2026, 0, 1);
const CHAIN_ID = 31_337;

const word = fc.constantFrom('a', 'b', 'pay', 'research');
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join('.'));
const entry = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 3, arbitrary: words.map((all) => `${all}.*`) },
  { weight: 1, arbitrary: fc.constant('*') },
);

interface Step {
  readonly drops: number;
  readonly below: string;
  readonly earlierMs: number;
  readonly lessDepth: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  drops: fc.nat({ max: 3 }),
  below: words,
  earlierMs: fc.nat({ max: DAY_MS }),
  lessDepth: fc.integer({ min: 1, max: 3 }),
});

/** A chain that keeps every rule: each link narrows the one before. */
const soundChain = fc
  .record({
    scope: fc.array(entry, { minLength: 1, maxLength: 5 }),
    steps: fc.array(step, { maxLength: DELEGATION_LIMITS.linksMax - 1 }),
  })
  .map(({ scope, steps }) => soundLinks(scope, steps));

describe('scopes', () => {
  test('what is covered by what is covered is covered', () => {
    fc.assert(
      fc.property(entry, entry, entry, (one, two, three) => {
        if (isCoveredBy(one, two) && isCoveredBy(two, three))
          expect(isCoveredBy(one, three)).toBe(true);
        expect(isCoveredBy('*', one)).toBe(true);
        expect(isCoveredBy(one, one)).toBe(true);
      }),
    );
  });

  test.each([
    ['research.*', 'research.deep', true],
    ['research.*', 'research.deep.*', true],
    ['research.*', 'research', false],
    ['research.*', 'researcher.deep', false],
    ['research.deep', 'research.*', false],
    ['research', 'research.deep', false],
    ['research.*', '*', false],
  ])('%s covers %s: %s', (wider, scope, expected) => {
    expect(isCoveredBy(wider, scope)).toBe(expected);
  });

  test('a scope is within one that has all of it, in any order', () => {
    expect(isWithin(['b', 'a.c'], ['a.*', 'b'])).toBe(true);
    expect(isWithin(['b', 'c'], ['a.*', 'b'])).toBe(false);
  });
});

describe('chains', () => {
  test('one whose every link narrows the one before holds', () => {
    fc.assert(
      fc.property(soundChain, (links) => {
        expect(validateChain(links, NOW)).toEqual({ isValid: true, faults: [] });
        for (const { delegation } of links)
          expect(Delegation.safeParse(delegation).success).toBe(true);
      }),
    );
  });

  test('no link gives anything that the root did not', () => {
    fc.assert(
      fc.property(soundChain, (links) => {
        const [root, last] = [links[0], links.at(-1)];
        if (root === undefined || last === undefined) return;
        expect(isWithin(last.delegation.scope, root.delegation.scope)).toBe(true);
        expect(Date.parse(last.delegation.expires_at)).toBeLessThanOrEqual(
          Date.parse(root.delegation.expires_at),
        );
      }),
    );
  });

  test.each([
    ['narrows_scope', { scope: ['elsewhere'] }],
    ['within_parent_life', { expires_at: new Date(NOW + 400 * DAY_MS).toISOString() }],
    ['depth_decreases', { depth: DELEGATION_LIMITS.linksMax - 1 }],
    ['handed_on_by_its_delegate', { delegator: wallet(99) }],
    ['not_to_itself', { delegate: wallet(1) }],
    ['not_expired', { expires_at: new Date(NOW).toISOString() }],
    ['parent_known', { parent_id: `dlg_${'0'.repeat(64)}` }],
  ] as readonly (readonly [string, Partial<Delegation>])[])(
    'one broken rule is named, and where: %s',
    (rule, broken) => {
      const [root, child] = soundLinks(
        ['research.*'],
        [{ drops: 0, below: 'deep', earlierMs: 0, lessDepth: 1 }],
      );
      if (root === undefined || child === undefined) throw new Error('there are two links');
      const bent = { ...child, delegation: { ...child.delegation, ...broken } };
      const { isValid, faults } = validateChain([root, bent], NOW);
      expect(isValid).toBe(false);
      expect(faults.map((fault) => [fault.rule, fault.delegation_id])).toEqual([
        [rule, child.delegation_id],
      ]);
    },
  );

  test('a revoked link anywhere ends the chain', () => {
    fc.assert(
      fc.property(soundChain, fc.nat(), (links, place) => {
        const at = place % links.length;
        const bent = links.map((link, index) =>
          index === at ? { ...link, revoked: { at: 'then', reason: 'enough' } } : link,
        );
        const { isValid, faults } = validateChain(bent, NOW);
        expect(isValid).toBe(false);
        expect(faults).toMatchObject([
          { rule: 'not_revoked', delegation_id: links[at]?.delegation_id },
        ]);
      }),
    );
  });

  test('a chain ends with its first link to end', () => {
    fc.assert(
      fc.property(soundChain, (links) => {
        const ends = links.map(({ delegation }) => Date.parse(delegation.expires_at));
        const first = Math.min(...ends);
        expect(validateChain(links, first - 1).isValid).toBe(true);
        expect(validateChain(links, first).isValid).toBe(false);
      }),
    );
  });

  test('one that begins below its root does not hold, nor does an empty one', () => {
    const links = soundLinks(['*'], [{ drops: 0, below: 'a', earlierMs: 0, lessDepth: 1 }]);
    expect(validateChain(links.slice(1), NOW).faults).toMatchObject([{ rule: 'parent_known' }]);
    expect(validateChain([], NOW).isValid).toBe(false);
  });
});

test('everything that is signed decides the id', () => {
  const [link] = soundLinks(['a'], []);
  if (link === undefined) throw new Error('there is a link');
  const { delegation } = link;
  const others: readonly Partial<Delegation>[] = [
    { delegator: wallet(7) },
    { delegate: wallet(7) },
    { scope: ['a', 'b'] },
    { expires_at: '2026-01-02T00:00:00Z' },
    { depth: 1 },
    { parent_id: `dlg_${'1'.repeat(64)}` },
    { nonce: `0x${'f'.repeat(64)}` },
  ];
  const ids = [
    deriveDelegationId(delegation, CHAIN_ID),
    deriveDelegationId(delegation, 1),
    ...others.map((other) => deriveDelegationId({ ...delegation, ...other }, CHAIN_ID)),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

function soundLinks(scope: readonly string[], steps: readonly Step[]): DelegationState[] {
  const links: DelegationState[] = [];
  let depth: number = DELEGATION_LIMITS.linksMax - 1;
  let now = scope;
  let ends = NOW + 300 * DAY_MS;
  const add = (): void => {
    const delegation: Delegation = {
      delegator: wallet(links.length),
      delegate: wallet(links.length + 1),
      scope: [...now],
      expires_at: new Date(ends).toISOString(),
      depth,
      parent_id: links.at(-1)?.delegation_id ?? null,
      nonce: `0x${String(links.length).padStart(64, '0')}`,
    };
    const delegation_id = deriveDelegationId(delegation, CHAIN_ID);
    const granted_at = new Date(NOW).toISOString();
    links.push({ delegation_id, delegation, signature: '0x', granted_at, revoked: null });
  };
  add();
  for (const { drops, below, earlierMs, lessDepth } of steps) {
    if (depth - lessDepth < 0) break;
    depth -= lessDepth;
    ends -= earlierMs;
    now = now.slice(0, Math.max(1, now.length - drops)).map((one) => narrowed(one, below));
    add();
  }
  return links;
}

function narrowed(entry: string, below: string): string {
  if (entry === '*') return below;
  return entry.endsWith('.*') ? `${entry.slice(0, -1)}${below}` : entry;
}

function wallet(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}
