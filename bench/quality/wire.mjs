// The double of the language models on the wire: chat completions over HTTP on loopback, streamed.
import { LLMock } from '@copilotkit/aimock';

/** Models of the seats, by place: each is a family of its own, so that seat and model go together. */
export const MODELS = Array.from({ length: 11 }, (_, at) => `openai:seat-${at}`);
/** Dollars for a million tokens, input and output. */
const PRICE = '0.5/1';
/** Answers come in pieces as large as they are. */
const CHUNK_CHARS = 8_000;

/** Starts the double. `models` and `prices` are texts of the settings of the same names. */
export async function startDouble(script) {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: CHUNK_CHARS });
  let calls = 0;
  mock.on({ predicate: () => true }, ({ model, messages }) => {
    calls += 1;
    const said = (role) => messages.find((one) => one.role === role)?.content ?? '';
    const { answer, usage } = script({ model, system: said('system'), prompt: said('user') });
    const { input, output } = usage;
    return {
      content: JSON.stringify(answer),
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    };
  });
  await mock.start();
  return {
    models: MODELS.map((modelId) => `${modelId}@${mock.url}/v1`).join(','),
    prices: MODELS.map((modelId) => `${modelId}=${PRICE}`).join(','),
    calls: () => calls,
    stop: () => mock.stop(),
  };
}

/** The same seats without the wire, for grids that are too large for it. */
export function modelsInProcess(script) {
  return {
    models: MODELS.map((modelId) => {
      const model = modelId.slice(modelId.indexOf(':') + 1);
      return { modelId, vendor: 'openai', model, family: model };
    }),
    maxCost: () => '1000',
    complete: async ({ modelId, system, prompt }) => {
      const { answer, usage } = script({ model: modelId, system, prompt });
      return {
        ok: true,
        text: JSON.stringify(answer),
        usage: { ...usage, cacheRead: 0, cacheWrite: 0, source: 'provider' },
        costMicroUsd: '1',
        priceSource: 'bench',
        requestId: 'req_bench',
        ms: 0,
      };
    },
  };
}
