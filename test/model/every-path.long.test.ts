import { describe, test } from 'vitest';
import { debatePaths } from './debate-paths.ts';
import { playDebate } from './debate-run.ts';
import { simplePaths } from './payment-paths.ts';
import { playPayment } from './payment-run.ts';
import { overBothEngines } from './sample.ts';

describe.each(['authorization', 'upfront'] as const)('every payment, %s', (flow) => {
  test.each(overBothEngines(simplePaths(flow)))(
    'over %s, caller and engine stand where the model stands: %s',
    { timeout: 60_000 },
    (http, _name, events) => playPayment(flow, http, events),
  );
});

describe('every debate', () => {
  test.each(overBothEngines(debatePaths()))(
    'over %s, caller and engine stand where the model stands: %s',
    { timeout: 60_000 },
    (http, _name, events) => playDebate(http, events),
  );
});
