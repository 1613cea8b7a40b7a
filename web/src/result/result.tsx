import { render } from 'preact';
import { AppHost, type ToolResult } from './app-host.ts';
import { readRunningJob } from './read-result.ts';
import { type ResultActions, ResultView } from './result-view.tsx';

/** How often a running result is read again, in milliseconds. */
const POLL_MS = 2_000;
/** Seconds that one read waits for news. */
const WAIT_S = 10;

const shared = document.getElementById('result-data');
if (shared === null) void openInHost();
else void showShared(JSON.parse(shared.textContent ?? ''));

/** Shows a result that the page has with it, and reads it again while it is running. */
async function showShared(first: ToolResult): Promise<void> {
  let result = first;
  show(result);
  while (readRunningJob(result) !== undefined) {
    await pause();
    const reply = await fetch('?format=json', { headers: { accept: 'application/json' } });
    if (!reply.ok) continue;
    result = (await reply.json()) as ToolResult;
    show(result);
  }
}

/** Shows the result that the host has, as an MCP App. */
async function openInHost(): Promise<void> {
  let tool = '';
  let input: Readonly<Record<string, unknown>> = {};
  const host: AppHost = new AppHost({
    onContext: ({ theme, toolInfo }) => {
      if (theme !== undefined) document.documentElement.style.colorScheme = theme;
      tool = toolInfo?.tool.name ?? tool;
    },
    onInput: (given) => {
      input = given;
    },
    onResult: (result) => void follow(result),
  });

  async function follow(first: ToolResult): Promise<void> {
    let result = first;
    for (;;) {
      show(result, actionsFor());
      const jobId = readRunningJob(result);
      if (jobId === undefined) return;
      await pause();
      result = await host.call('get_result', { job_id: jobId, wait_s: WAIT_S });
    }
  }

  function actionsFor(): ResultActions {
    return {
      openLink: (url) => void host.openLink(url),
      approve: tool === '' ? undefined : () => void host.call(tool, input).then(follow),
      deny: () => {
        show({ content: [{ type: 'text', text: 'Not paid.\nWhy: you declined.\nCost: nothing' }] });
        void host.tellModel(`The user declined to pay for ${tool}. Do not call it again unasked.`);
      },
    };
  }

  await host.open();
}

function show(result: ToolResult, actions?: ResultActions): void {
  const given = actions === undefined ? {} : { actions };
  render(<ResultView result={result} {...given} />, document.body);
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, POLL_MS);
  });
}
