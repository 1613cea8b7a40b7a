// A chat agent with tools. A model decides; each call of the model or of a tool is an effect, so a
// kill repeats at most the call that was running.
//   MODEL_URL=https://…/v1 MODEL=… MODEL_KEY=… node agent.mjs
import { durable } from '@stoa/runtime';
import { assign, fromPromise, setup } from 'xstate';

type Call = { id: string; function: { name: string; arguments: string } };
type Message = {
  role: 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: Call[];
  tool_call_id?: string;
};
const TURNS_MAX = 8;
const { MODEL_URL = '', MODEL = '', MODEL_KEY = '' } = process.env;
const stock = {
  type: 'function',
  function: {
    name: 'stock',
    description: 'Number of pieces of an item in stock.',
    parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
  },
};

const ask = fromPromise<Message, Message[]>(async ({ input, signal }) => {
  const answer = await fetch(`${MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${MODEL_KEY}` },
    body: JSON.stringify({ model: MODEL, messages: input, tools: [stock] }),
    signal,
  });
  if (!answer.ok) throw new Error(`The model answered ${answer.status}.`);
  const { choices } = (await answer.json()) as { choices: { message: Message }[] };
  const { content, tool_calls: calls } = choices[0]?.message ?? { content: '' };
  return { role: 'assistant', content, ...(calls === undefined ? {} : { tool_calls: calls }) };
});
const useTools = fromPromise<Message[], Call[]>(async ({ input }) =>
  input.map(({ id, function: { name, arguments: text } }) => {
    const { item } = JSON.parse(text) as { item?: string };
    const found = name === 'stock' && item === 'lamp' ? '3' : 'unknown';
    return { role: 'tool', tool_call_id: id, content: found };
  }),
);

const callsOf = (messages: Message[]) => messages.at(-1)?.tool_calls ?? [];
const machine = setup({
  types: {} as { context: { messages: Message[]; turns: number }; input: { question: string } },
  actors: { ask, useTools },
}).createMachine({
  context: ({ input }) => ({
    messages: [{ role: 'user', content: input.question }],
    turns: 0,
  }),
  // [guide agent
  initial: 'thinking',
  states: {
    thinking: {
      invoke: {
        src: 'ask',
        input: ({ context }) => context.messages,
        onDone: {
          target: 'deciding',
          actions: assign(({ context, event }) => ({
            messages: [...context.messages, event.output],
            turns: context.turns + 1,
          })),
        },
        onError: 'failed',
      },
    },
    deciding: {
      always: [
        { guard: ({ context }) => callsOf(context.messages).length === 0, target: 'answered' },
        { guard: ({ context }) => context.turns >= TURNS_MAX, target: 'failed' },
        { target: 'working' },
      ],
    },
    working: {
      invoke: {
        src: 'useTools',
        input: ({ context }) => callsOf(context.messages),
        onDone: {
          target: 'thinking',
          actions: assign({
            messages: ({ context, event }) => [...context.messages, ...event.output],
          }),
        },
        onError: 'failed',
      },
    },
    answered: { type: 'final' },
    failed: { type: 'final' },
  },
  // guide]
  output: ({ context }) => context.messages.at(-1)?.content ?? '',
});

const app = await durable({ path: './data/agent', actors: { agent: machine } });
const agent = await app.agent.start('chat/1', { question: 'How many lamps do we have?' });
process.stdout.write(`${String(await agent.result())}\n`);
await app.close();
