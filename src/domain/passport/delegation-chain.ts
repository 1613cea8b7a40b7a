import { DELEGATION_LIMITS, type Delegation, type DelegationState } from './delegation.ts';

/** A broken rule of a delegation chain and its link. */
export interface DelegationViolation {
  readonly delegation_id: string;
  readonly rule:
    | 'narrows_scope'
    | 'within_parent_life'
    | 'depth_decreases'
    | 'handed_on_by_its_delegate'
    | 'not_to_itself'
    | 'not_expired'
    | 'not_revoked'
    | 'parent_known'
    | 'links_bounded';
  readonly says: string;
}

/** The verdict on a delegation chain. */
export interface ChainVerdict {
  readonly isValid: boolean;
  readonly faults: readonly DelegationViolation[];
}

/**
 * Validates a delegation chain, root first. Signatures are verified on submission.
 *
 * @param links - Connected by `parent_id`; the last one is the requested delegation.
 * @param now - Milliseconds since 1970.
 */
export function validateChain(links: readonly DelegationState[], now: number): ChainVerdict {
  const faults = links.flatMap((link, index) => [
    ...checkLink(link, now),
    ...(index === 0 ? checkRoot(link) : checkParent(link, links[index - 1])),
  ]);
  const last = links.at(-1);
  if (last !== undefined && links.length > DELEGATION_LIMITS.linksMax) {
    faults.push(
      violation(last, 'links_bounded', `a chain has at most ${DELEGATION_LIMITS.linksMax} links`),
    );
  }
  return { isValid: faults.length === 0 && links.length > 0, faults };
}

/** Checks whether every entry of `scope` is covered by an entry of `wider`. */
export function isWithin(scope: readonly string[], wider: readonly string[]): boolean {
  return scope.every((one) => wider.some((other) => isCoveredBy(other, one)));
}

/** Checks whether one scope entry covers another. */
export function isCoveredBy(wider: string, scope: string): boolean {
  if (wider === '*' || wider === scope) return true;
  return wider.endsWith('.*') && scope.startsWith(wider.slice(0, -1));
}

function checkLink(link: DelegationState, now: number): DelegationViolation[] {
  const { delegation, revoked } = link;
  const faults: DelegationViolation[] = [];
  if (delegation.delegator === delegation.delegate) {
    faults.push(violation(link, 'not_to_itself', 'delegator and delegate are the same wallet'));
  }
  if (Date.parse(delegation.expires_at) <= now) {
    faults.push(violation(link, 'not_expired', `it expired at ${delegation.expires_at}`));
  }
  if (revoked !== null) {
    faults.push(violation(link, 'not_revoked', `it was revoked at ${revoked.at}`));
  }
  return faults;
}

function checkRoot(link: DelegationState): DelegationViolation[] {
  if (link.delegation.parent_id === null) return [];
  return [violation(link, 'parent_known', `${link.delegation.parent_id} is not known here`)];
}

function checkParent(
  link: DelegationState,
  parent: DelegationState | undefined,
): DelegationViolation[] {
  if (parent === undefined || link.delegation.parent_id !== parent.delegation_id) {
    return [violation(link, 'parent_known', 'the link before is not its parent')];
  }
  return checkNarrowing(link.delegation, parent.delegation).map(([rule, says]) =>
    violation(link, rule, says),
  );
}

type BrokenRule = readonly [DelegationViolation['rule'], string];

function checkNarrowing(child: Delegation, parent: Delegation): readonly BrokenRule[] {
  const broken: BrokenRule[] = [];
  if (child.delegator !== parent.delegate) {
    broken.push([
      'handed_on_by_its_delegate',
      `only ${parent.delegate} can delegate the parent, not ${child.delegator}`,
    ]);
  }
  if (!isWithin(child.scope, parent.scope)) {
    const [given, whole] = [child.scope, parent.scope].map((scope) => scope.join(', '));
    broken.push(['narrows_scope', `${given} is not within ${whole}`]);
  }
  if (Date.parse(child.expires_at) > Date.parse(parent.expires_at)) {
    broken.push(['within_parent_life', `the parent expires earlier, at ${parent.expires_at}`]);
  }
  if (child.depth >= parent.depth) {
    broken.push([
      'depth_decreases',
      `depth ${child.depth} is not below the parent's ${parent.depth}`,
    ]);
  }
  return broken;
}

function violation(
  { delegation_id }: DelegationState,
  rule: DelegationViolation['rule'],
  says: string,
): DelegationViolation {
  return { delegation_id, rule, says };
}
