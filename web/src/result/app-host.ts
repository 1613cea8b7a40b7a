/** Version of the MCP Apps protocol (SEP-1865). */
const APPS_VERSION = '2026-01-26';

/** A result of a tool, as MCP has it. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** What the host tells the view. */
export interface HostListener {
  onResult(result: ToolResult): void;
  onInput(input: Readonly<Record<string, unknown>>): void;
  onContext(context: HostContext): void;
}

/** The part of the host's context that the view uses. */
export interface HostContext {
  readonly theme?: 'light' | 'dark';
  readonly toolInfo?: { readonly tool: { readonly name: string } };
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The host of the view: JSON-RPC over `postMessage` with the parent window. */
export class AppHost {
  readonly #waiting = new Map<number, Waiting>();
  readonly #listener: HostListener;
  #lastId = 0;

  constructor(listener: HostListener) {
    this.#listener = listener;
    window.addEventListener('message', ({ source, data }) => {
      if (source === window.parent) this.#receive(data as Message);
    });
  }

  /** Begins the session; results follow. */
  async open(): Promise<void> {
    const opened = (await this.#request('ui/initialize', {
      appInfo: { name: 'stoa-result', version: '1.0.0' },
      appCapabilities: {},
      protocolVersion: APPS_VERSION,
    })) as { readonly hostContext?: HostContext };
    this.#listener.onContext(opened.hostContext ?? {});
    this.#post({ method: 'ui/notifications/initialized' });
    new ResizeObserver(() => {
      const { width, height } = document.body.getBoundingClientRect();
      this.#post({ method: 'ui/notifications/size-changed', params: { width, height } });
    }).observe(document.body);
  }

  /** Calls a tool of the server through the host. */
  async call(name: string, input: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    return (await this.#request('tools/call', { name, arguments: input })) as ToolResult;
  }

  /** Opens an address outside the view. */
  async openLink(url: string): Promise<void> {
    await this.#request('ui/open-link', { url });
  }

  /** Tells the model what the person has decided. */
  async tellModel(text: string): Promise<void> {
    await this.#request('ui/update-model-context', { content: [{ type: 'text', text }] });
  }

  #request(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ id, method, params });
    });
  }

  #post(message: Message): void {
    // The origin of the host is unknown to a sandboxed view; the parent is the only receiver.
    window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #receive({ id, method, params = {}, result, error }: Message): void {
    if (method === undefined) {
      const answer = this.#waiting.get(Number(id));
      this.#waiting.delete(Number(id));
      if (error === undefined) answer?.resolve(result);
      else answer?.reject(new Error(error.message));
      return;
    }
    switch (method) {
      case 'ui/notifications/tool-result':
        this.#listener.onResult(params as unknown as ToolResult);
        return;
      case 'ui/notifications/tool-input':
        this.#listener.onInput((params['arguments'] ?? {}) as Readonly<Record<string, unknown>>);
        return;
      case 'ui/notifications/host-context-changed':
        this.#listener.onContext(params);
        return;
      default:
        if (id !== undefined) this.#post({ id, result: {} });
    }
  }
}
