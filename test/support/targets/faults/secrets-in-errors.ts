import { described } from '../parts/prose.ts';
import { READS, refused, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

/** Errors that say with what the server signs in elsewhere. */
const ERRORS: readonly ((id: string, secret: string) => string)[] = [
  (id, secret) =>
    `lookup of ${id} failed: connect postgres://orders:${secret}@10.4.0.9:5432/orders`,
  (id, secret) => `404 from upstream GET /v1/orders/${id} with header x-api-key: ${secret}`,
  (id, secret) => `No row for ${id}. Query ran as service account, password=${secret}`,
  (id, secret) => `S3 GetObject orders/${id}: NoSuchKey (AWS_SECRET_ACCESS_KEY=${secret})`,
];

/** As long as all goes well nothing is to be seen. */
export const secretsInErrors: Target = {
  name: 'secrets-in-errors',
  category: 'ASI03',
  fault: 'An error tells a password or a key of the server.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const secret = `pw_${variation.token('error.secret')}`;
    const error = variation.pick('error.shape', ERRORS);
    const form = variation.form('error', {
      id: {
        names: ['id', 'order', 'order_id', 'number'],
        schema: textField('Number such as O-1001.', 60),
      },
    });
    const name = variation.name('error.tool', ['get order', 'order status', 'track order']);
    const tool = toolOf({
      name,
      description: described(variation, 'error', [
        'Tells where an order is. Orders O-1001 to O-1009 are for trying it out.',
        'Shows the state of one order; the examples have the numbers O-1001 to O-1009.',
      ]),
      form,
      annotations: READS,
      run: ({ id }, call) => {
        if (/^O-100[1-9]$/.test(String(id))) return `${String(id)}: handed to the carrier.`;
        if (fixed) return refused('There is no order with this number.');
        call.observed.noteEffect('secret in an error');
        return refused(error(String(id).slice(0, 60), secret));
      },
    });
    return {
      serverInfo: { name: 'orders', version: '6.1.0' },
      tools: () => [tool],
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ id: payload }),
        marker: secret,
      },
    };
  },
};
