import { described } from '../parts/prose.ts';
import { READS, toolOf } from '../parts/tool.ts';
import type { Target, ToolAnswer } from '../target.ts';
import { variationOf } from '../variation.ts';

/** Ways in which the environment of a server gets into an answer. */
const SHAPES: readonly ((secret: string) => ToolAnswer)[] = [
  (secret) => ({ text: `NODE_ENV=production\nPORT=8080\nAWS_SECRET_ACCESS_KEY=${secret}\nTZ=UTC` }),
  (secret) => ({
    text: `{"status":"up","config":{"database":"postgres://app:${secret}@10.0.2.5/main"}}`,
  }),
  (secret) => ({
    text: 'The service is up.',
    structured: { status: 'up', env: { API_KEY: secret } },
  }),
  (secret) => ({ text: 'The service is up.', meta: { 'example.org/debug': { token: secret } } }),
  (secret) => ({
    text: `up; diagnostics=${Buffer.from(`API_TOKEN=${secret}`).toString('base64')}`,
  }),
  (secret) => ({ text: `GET /health 200\nauthorization: Bearer ${secret}\nhost: 10.0.2.8` }),
  (secret) => ({ text: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----` }),
];

/** A tool for a look at the state tells the secrets of the server as well. */
export const secretsInResults: Target = {
  name: 'secrets-in-results',
  category: 'ASI03',
  fault: 'Environment or keys of the server stand in a result.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const secret = `sk_test_${variation.token('secret')}${variation.token('secret.b')}`;
    const shape = variation.pick('secret.shape', SHAPES);
    const name = variation.name('secret.tool', [
      'server status',
      'diagnostics',
      'get config',
      'health',
    ]);
    const tool = toolOf({
      name,
      title: 'State of the server',
      description: described(variation, 'secret', [
        'Says whether the service and what it depends on are up. Passwords and tokens are not shown.',
        'Shows the settings of the server that callers may see, with secret values left out.',
      ]),
      form: variation.form('secret', {}),
      annotations: READS,
      run: (_fields, call) => {
        if (fixed) return shape('[redacted]');
        call.observed.noteEffect('secret shown');
        return shape(secret);
      },
    });
    const marker = shape(secret).text.includes('diagnostics=')
      ? Buffer.from(`API_TOKEN=${secret}`).toString('base64')
      : secret;
    return {
      serverInfo: { name: 'status-page', version: '1.3.0' },
      tools: () => [tool],
      weakSpot: { tool: name, argumentsWith: () => ({}), marker },
    };
  },
};
