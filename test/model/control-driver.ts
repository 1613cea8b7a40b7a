import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { ControlId, ControlLabel } from '../../src/domain/control/control-catalog.ts';
import type { Ev } from '../../src/runtime/engine/types.ts';
import type { Driver, Observed } from '../../src/testing/driver.ts';
import type { ModelView, PathPlan, Standing, TestPath } from '../../src/testing/path.ts';
import type { BoardServer } from './board-server.ts';

/** The control that can stand at every label; the others are looked at as they are declared. */
const CHANGED: ControlId = 'witness-scoring';

/** Transitions of a control that no operator can bring about, and why. */
export const CONTROL_BEYOND: Readonly<Record<string, string>> = {};

const AT = 1_700_000_000_000;
const LABELS = ['LIVE', 'SHADOW', 'OFF'] as const satisfies ControlLabel[];
const asked = { role: 'operator', who: 'op', why: 'drill', at: AT };

/**
 * What may be asked of a control at its address, also by those who may not and without a reason.
 */
export const controlHttpPlan: PathPlan = {
  inputs: {
    live: { controlId: CHANGED, label: 'LIVE' },
    shadow: { controlId: 'sealed-bid-negotiation', label: 'SHADOW' },
    off: { controlId: 'two-leg-escrow', label: 'OFF' },
  },
  events: {
    'CONTROL.CHANGED': ({ context }: ModelView) =>
      context['controlId'] === CHANGED ? CHANGES : [],
  },
};

const CHANGES = [
  ...LABELS.map((to) => ({ ...asked, to })),
  ...LABELS.map((to) => ({ ...asked, to, role: 'caller' })),
  ...LABELS.map((to) => ({ ...asked, to, why: ' ' })),
];

/** Changes a control at the operator's address of a server of its own. */
export function controlDriver(server: BoardServer, path: TestPath): Driver {
  let done = 0;
  let last: Ev | undefined;
  const again = async (): Promise<void> => {
    if (last !== undefined) await change(server, last);
  };
  return {
    start: () => server.start(),
    send: async (event) => {
      last = event;
      const [status, code] = await change(server, event);
      const [expected, name] = answerTo(event);
      expect([status, code]).toEqual([expected, name]);
      done += 1;
    },
    elapse: () => Promise.reject(new Error('a control has no timers')),
    settle: () => Promise.reject(new Error('a control has no effects')),
    observe: () => look(server, (path.steps[done - 1] ?? path.begin).after),
    faults: {
      kill_restart: () => server.killAndRestart(),
      lost_reply: again,
      duplicate: async () => void (await Promise.all([again(), again()])),
    },
    close: () => server.stop(),
  };
}

/** What the address answers; typed by hand from the specification of the controls. */
function answerTo({ role, why }: Ev): readonly [number, string | undefined] {
  if (role !== 'operator') return [401, undefined];
  return String(why).trim() === '' ? [422, 'INPUT_INVALID'] : [200, undefined];
}

async function change(server: BoardServer, { role, to, who, why }: Ev) {
  const { base_url, token_file } = server.ready;
  const token = readFileSync(token_file, 'utf8').trim();
  const answer = await fetch(`${base_url}/a2a/controls/${CHANGED}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(role === 'operator' ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({ label: to, who, why }),
  });
  const text = await answer.text();
  const { error } = text.startsWith('{') ? (JSON.parse(text) as { error?: string }) : {};
  return [answer.status, error] as const;
}

interface Told {
  readonly controls: readonly {
    readonly id: string;
    readonly label: string;
    readonly change: { readonly who: string; readonly why: string } | null;
  }[];
}

async function look(server: BoardServer, expected: Standing): Promise<Observed> {
  const controlId = String(expected.context['controlId']);
  const { value, status, context } = await server.actor(`control-${controlId}`);
  const { controls } = await server.get<Told>('/a2a/controls');
  const told = controls.find(({ id }) => id === controlId);
  const {
    change: changed,
    label,
    changes,
  } = expected.context as Told['controls'][number] & {
    readonly changes: number;
  };
  expect(told?.label).toBe(label);
  const words = changed === null ? null : { who: changed.who, why: changed.why };
  expect(told?.change === null ? null : { who: told?.change.who, why: told?.change.why }).toEqual(
    words,
  );
  return { value, status, facets: { label: (context as { label: string }).label, changes } };
}
