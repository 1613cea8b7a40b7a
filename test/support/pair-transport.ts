import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ToolService } from '../../src/domain/tool/tool.ts';
import { type StdioPair, stdioPair } from './stdio-pair.ts';

/** The client's end of a service that is served over streams in memory. */
export class PairTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private readonly pair: StdioPair;
  private text = '';

  constructor(service: ToolService) {
    this.pair = stdioPair(service);
  }

  async start(): Promise<void> {
    this.pair.output.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('utf8');
      const lines = this.text.split('\n');
      this.text = lines.pop() ?? '';
      for (const line of lines) this.onmessage?.(JSON.parse(line));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.pair.send(message);
  }

  async close(): Promise<void> {
    await this.pair.end();
    this.onclose?.();
  }
}
