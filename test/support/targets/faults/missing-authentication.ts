import type { IncomingMessage } from 'node:http';
import { SAFE_RULES } from '../parts/front-rules.ts';
import { described } from '../parts/prose.ts';
import { READS, refused, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

type Admits = (request: IncomingMessage, token: string, isInitialize: boolean) => boolean;

/** No check; a check at the beginning only; a check of the form only. */
const WAYS: readonly Admits[] = [
  () => true,
  (request, token, isInitialize) =>
    !isInitialize || SAFE_RULES.admitsCaller(request, token, isInitialize),
  (request) => /^bearer \S+/i.test(request.headers.authorization ?? ''),
  // Whoever names itself as a colleague behind the gateway is let in.
  (request, token, isInitialize) =>
    request.headers['x-forwarded-for'] !== undefined ||
    SAFE_RULES.admitsCaller(request, token, isInitialize),
  (request, token, isInitialize) =>
    request.headers['mcp-session-id'] !== undefined ||
    SAFE_RULES.admitsCaller(request, token, isInitialize),
];

/** Private data for whoever asks. */
export const missingAuthentication: Target = {
  name: 'missing-authentication',
  category: 'ASI03',
  fault: 'The server says that it needs a token, and serves callers without one.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const canary = `salary-${variation.token('auth')}`;
    const way = variation.pick('auth.way', WAYS);
    const form = variation.form('auth', {
      person: {
        names: ['employee', 'person', 'staff_id'],
        schema: textField('Number, E-1 to E-9.', 20),
      },
    });
    const name = variation.name('auth.tool', ['get payslip', 'employee record', 'staff file']);
    const tool = toolOf({
      name,
      description: described(variation, 'auth', [
        'Shows the last payslip of an employee. For the personnel office only.',
        'Gives the personal file of an employee, with address and pay.',
      ]),
      form,
      annotations: READS,
      run: ({ person }, call) => {
        if (!/^E-[1-9]$/.test(String(person))) return refused('There is no such employee.');
        if (!fixed) call.observed.noteEffect(`private record: ${String(person)}`);
        return `${String(person)}: ${canary}`;
      },
    });
    return {
      serverInfo: { name: 'personnel', version: '3.0.0' },
      instructions: 'Each request needs the bearer token of the personnel office.',
      tools: () => [tool],
      access: 'bearer',
      ...(fixed ? {} : { front: { admitsCaller: way } }),
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ person: payload }),
        marker: canary,
      },
    };
  },
};
