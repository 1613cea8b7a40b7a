import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REDACTIONS } from '../../../src/actors/inspect/redaction/kinds.ts';
import { createRedactor } from '../../../src/actors/inspect/redaction/redaction.ts';
import { PANELS } from '../../../src/domain/panel/panels.ts';
import { MACHINES } from '../../../src/machines/common/registry.ts';
import { pathsOf } from '../../../src/testing/paths-of.ts';
import { findPlan } from '../../../src/testing/plans/plans.ts';

const SECRET = 'planted-secret-0xabcdef0123456789';

test('every machine has a list of what may be seen', () => {
  expect(REDACTIONS.map(({ kind }) => kind).sort()).toEqual(
    MACHINES.map(({ kind }) => kind).sort(),
  );
});

describe.each(MACHINES.map(({ kind, machine }) => ({ kind, machine })))(
  '$kind',
  ({ kind, machine }) => {
    const list = REDACTIONS.find((each) => each.kind === kind) ?? missing(kind);
    const plan = findPlan(kind) ?? missing(kind);
    const paths = pathsOf(machine, { ...plan, how: 'transitions' });
    const contexts = paths.flatMap(({ begin, steps }) =>
      [begin, ...steps].map(({ after }) => after.context as Readonly<Record<string, unknown>>),
    );
    const events = paths.flatMap(({ steps }) => steps.map(({ event }) => event));

    test('each member of its context is either shown or named as hidden, in every state', () => {
      const found = new Set(contexts.flatMap((context) => leafPaths(context)));
      const isNamed = (path: string): boolean =>
        list.context.some((shown) => fits(shown, path)) ||
        list.hidden.some((hidden) => fits(hidden, path) || isBelow(hidden, path));
      expect([...found].filter((path) => !isNamed(path))).toEqual([]);
      const both = list.context.filter((shown) =>
        list.hidden.some((hidden) => hidden === shown || shown.startsWith(`${hidden}.`)),
      );
      expect(both).toEqual([]);
    });

    test('a secret in any text that is not listed is in nothing that is shown', () => {
      const redactor = createRedactor(list);
      const allowed = list.context;
      fc.assert(
        fc.property(fc.constantFrom(...contexts), fc.boolean(), (context, isLong) => {
          const secret = isLong ? SECRET.repeat(200) : SECRET;
          const planted = plant(
            context,
            secret,
            (path) => !allowed.some((each) => fits(each, path)),
          );
          expect(JSON.stringify(redactor.context(planted))).not.toContain(SECRET);
        }),
        { numRuns: 200 },
      );
    });

    test('a secret in an event is shown only in the members that are listed for it', () => {
      const redactor = createRedactor(list);
      const shown = new Set<string>();
      for (const event of events) {
        const { type, ...fields } = plant(event, SECRET, () => true);
        const seen = redactor.event({ ...fields, type: event.type });
        expect(typeof type).toBe('string');
        for (const path of pathsWith(seen, SECRET)) shown.add(`${nameOf(event.type)} ${path}`);
      }
      expect([...shown].sort()).toEqual([...listShown(kind)].sort());
    });
  },
);

test('of a kind without a list no value is shown', () => {
  const redactor = createRedactor(undefined);
  expect(redactor.context({ key: SECRET, n: 5, list: [SECRET], deep: { a: 1 } })).toEqual({
    key: { hidden: 'text', size: SECRET.length },
    n: { hidden: 'number', size: 1 },
    list: { hidden: 'list', size: 1 },
    deep: { hidden: 'object', size: 1 },
  });
  expect(redactor.event({ type: 'A', n: 1 })).toEqual({
    type: 'A',
    n: { hidden: 'number', size: 1 },
  });
  expect(redactor.output({ a: SECRET })).toEqual({ hidden: 'object', size: 1 });
});

test('a path shows what stands at its end, and nothing that stands in its way', () => {
  const kind = { kind: 'x', context: ['a.b', 'list.*.n'], hidden: [], events: {} };
  const { context } = createRedactor(kind);
  expect(context({ a: SECRET, list: [{ n: 1, m: SECRET }, SECRET] })).toEqual({
    a: { hidden: 'text', size: SECRET.length },
    list: [
      { n: 1, m: { hidden: 'text', size: SECRET.length } },
      { hidden: 'text', size: SECRET.length },
    ],
  });
  expect(context({ a: { b: { c: SECRET } } })).toEqual({ a: { b: { hidden: 'object', size: 1 } } });
  expect(context({ a: { b: 'x'.repeat(5_000) } })).toEqual({
    a: { b: { hidden: 'text', size: 5_000 } },
  });
});

/** What panels of every kind show of the ends of their effects. */
const SHOWN_OF_PANELS = [
  'done actorId',
  'done output.costMicroUsd',
  'done output.phase',
  'done output.priceSource',
  'done output.seatId',
  'done output.status',
  'done output.transcriptRoot',
  'done output.usage.source',
  'error actorId',
  'error error.code',
  'error error.name',
];

/** A further panel shows what panels of every kind show, until more is listed for it. */
function listShown(kind: string): readonly string[] {
  const isPanel = PANELS.some((panel) => panel.kind === kind);
  return SHOWN_IN_EVENTS[kind] ?? (isPanel ? SHOWN_OF_PANELS : []);
}

/** What every kind shows of the ends of its effects. */
const SHOWN_OF_EFFECTS = ['done actorId', 'error actorId', 'error error.code', 'error error.name'];

/** Typed by hand: a new member of an event that is shown is a decision. */
const SHOWN_IN_EVENTS: Readonly<Record<string, readonly string[]>> = {
  audit: [
    'KILL by',
    'done actorId',
    'done output.finding.category',
    'done output.finding.findingId',
    'done output.finding.probeId',
    'done output.finding.severity',
    'done output.finding.status',
    'done output.findings.*.category',
    'done output.findings.*.findingId',
    'done output.findings.*.probeId',
    'done output.findings.*.severity',
    'done output.findings.*.status',
    'done output.reason',
    'done output.recon.access',
    'done output.recon.whole',
    'done output.record.kind',
    'done output.root',
    'done output.run.outcome',
    'done output.run.probeId',
    'done output.run.reason',
    'done output.state',
    'done output.status',
    'error actorId',
    'error error.code',
    'error error.name',
  ],
  alert: [
    'done actorId',
    'done output.fault.reason',
    'done output.sample.source',
    'done output.sample.value',
    'error actorId',
    'error error.code',
    'error error.name',
  ],
  passport: [
    ...['agent_class', 'description', 'image', 'name', 'operator_id', 'wallet'].map(
      (member) => `PASSPORT.ASKED ask.order.${member}`,
    ),
    ...['endpoint', 'name', 'version'].map(
      (member) => `PASSPORT.ASKED ask.order.services.*.${member}`,
    ),
    'PASSPORT.REVOKED reason',
    'done actorId',
    'done output.fault.code',
    'done output.result.agentId',
    'done output.state',
    'done output.transaction',
    'error actorId',
    'error error.code',
    'error error.name',
  ],
  delegation: ['DELEGATION.REVOKED reason'],
  notice: ['done actorId', 'error actorId', 'error error.code', 'error error.name'],
  webhook: ['WEBHOOK.EVENT at', 'WEBHOOK.EVENT event', 'WEBHOOK.PUBLIC at', 'WEBHOOK.PUBLIC event'],
  payment: [
    'WORK.CANCELLED refundMicroUsd',
    'done actorId',
    'done output.fault.code',
    'done output.state',
    'done output.transaction',
    'error actorId',
    'error error.code',
    'error error.name',
  ],
  debate: SHOWN_OF_PANELS,
  council: SHOWN_OF_PANELS,
  arbitration: ['EVIDENCE.GIVEN side', 'done output.evidenceIds.*', ...SHOWN_OF_PANELS],
  report: [
    ...['actorId', 'output.fault.code', 'output.fault.upstream', 'output.stepId'].map(
      (path) => `done ${path}`,
    ),
    ...['output.steps.*.stepId', 'output.steps.*.title'].map((path) => `done ${path}`),
    ...['error actorId', 'error error.code', 'error error.name'],
  ],
  seal: ['SEAL.REDEEMED deliverableSha256', 'SEAL.REDEEMED paymentId'],
  request: [
    'BID.PLACED bid.bidId',
    'BID.PLACED bid.priceMicroUsd',
    'BID.PLACED bid.provider',
    'BID.WITHDRAWN bidId',
    'JOB.BEGUN jobId',
    'JOB.UNFUNDED jobId',
    'REQUEST.ASSIGNED bidId',
    ...['buyer', 'funding', 'jobId', 'priceMicroUsd', 'provider'].map(
      (member) => `REQUEST.ASSIGNED job.${member}`,
    ),
  ],
  job: [
    'CHAIN.DECIDED transaction',
    'CHAIN.DISPUTED transaction',
    'CHAIN.DISPUTE_WITHDRAWN transaction',
    'CHAIN.ESCROWED transaction',
    'CHAIN.FULFILLED transaction',
    'CHAIN.REFUNDED transaction',
    'CHAIN.RELEASED transaction',
    'DISPUTE.DECIDED upheld',
    'DISPUTE.OPENED by',
    'JOB.COMPLETED paymentId',
    'done actorId',
    'error actorId',
    'error error.code',
    'error error.name',
  ],
  service: [
    ...['commitId', 'deployId'].map((member) => `BRANCH.MOVED ${member}`),
    ...['deployId', 'source.kind', 'trigger'].map((member) => `DEPLOY.ASKED ${member}`),
    'DEPLOY.CANCELED deployId',
    ...['commit.createdAt', 'commit.id', 'deployId'].map((member) => `DEPLOY.ENDED ${member}`),
    ...['commit.createdAt', 'commit.id', 'deployId', 'releaseId'].map(
      (member) => `DEPLOY.LIVE ${member}`,
    ),
    ...['deployId', 'source.kind', 'trigger'].map((member) => `ENV.REPLACED ask.${member}`),
    ...['deployId', 'instanceId'].map((member) => `INSTANCE.STUCK ${member}`),
    'RESUME deployId',
    ...['deployId', 'source.kind', 'trigger'].map((member) => `SERVICE.CHANGED ask.${member}`),
    ...[
      ...['autoDeploy', 'branch', 'createdAt', 'dashboardUrl', 'id', 'name', 'ownerId'],
      ...['healthCheckPath', 'plan', 'region', 'runtime', 'schedule', 'url'].map(
        (member) => `serviceDetails.${member}`,
      ),
      ...['slug', 'suspended', 'suspenders.*', 'type', 'updatedAt'],
    ].map((member) => `SERVICE.CHANGED service.${member}`),
  ],
  deploy: [
    'CANCEL by',
    'INSTANCE.FAILED instanceId',
    'INSTANCE.HEALTHY instanceId',
    ...['commit.createdAt', 'commit.id', 'kind', 'releaseId'].map(
      (member) => `TURN.COME source.${member}`,
    ),
    'done output.commit.createdAt',
    'done output.commit.id',
    ...SHOWN_OF_EFFECTS,
  ],
  instance: SHOWN_OF_EFFECTS,
  database: [
    ...[
      ...['createdAt', 'dashboardUrl', 'id', 'name', 'ownerId', 'plan', 'region', 'updatedAt'],
      ...['options.maxmemoryPolicy', 'options.persistenceMode', 'version'],
    ].map((member) => `CONFIG.CHANGED record.${member}`),
    ...SHOWN_OF_EFFECTS,
  ],
  'cron-run': ['done output.runId', ...SHOWN_OF_EFFECTS],
  control: [
    'CONTROL.CHANGED role',
    'CONTROL.CHANGED to',
    'CONTROL.CHANGED who',
    'CONTROL.CHANGED why',
  ],
};

function nameOf(type: string): string {
  return type.replace(/^xstate\.(done|error)\.actor\..*$/, '$1');
}

function missing(kind: string): never {
  throw new Error(`nothing for ${kind}`);
}

function fits(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern.split('.'), path.split('.')];
  return (
    wanted.length === parts.length && wanted.every((part, at) => part === '*' || part === parts[at])
  );
}

function isBelow(pattern: string, path: string): boolean {
  const wanted = pattern.split('.');
  const parts = path.split('.');
  return parts.length > wanted.length && fits(pattern, parts.slice(0, wanted.length).join('.'));
}

/** Paths of all values that hold no others; empty ones, which hold nothing yet, are passed over. */
function leafPaths(value: unknown, path = ''): string[] {
  if (Array.isArray(value))
    return value.flatMap((item) => leafPaths(item, `${path}.*`.replace(/^\./, '')));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) =>
      leafPaths(item, path === '' ? key : `${path}.${key}`),
    );
  }
  return value === null || value === undefined ? [] : [path];
}

function plant<T>(value: T, secret: string, mayPlant: (path: string) => boolean, path = ''): T {
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  if (typeof value === 'string') return (mayPlant(path) ? secret : value) as T;
  if (Array.isArray(value)) {
    return value.map((item) => plant(item as unknown, secret, mayPlant, at('*'))) as T;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        plant(item as unknown, secret, mayPlant, at(key)),
      ]),
    ) as T;
  }
  return value;
}

function pathsWith(value: unknown, secret: string, path = ''): string[] {
  if (typeof value === 'string') return value.includes(secret) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    pathsWith(item, secret, path === '' ? key : `${path}.${Array.isArray(value) ? '*' : key}`),
  );
}
