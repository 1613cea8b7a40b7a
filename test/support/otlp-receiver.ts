import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector gets it by OTLP over HTTP with JSON. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Attributes of the process that sent it. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

/** A collector of traces on this machine. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Every body as it came. */
  readonly bodies: string[];
  stop(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number | string;
    readonly boolValue?: boolean;
    readonly doubleValue?: number;
  };
}

/** Starts a collector that keeps what it gets. It refuses what is no OTLP over HTTP with JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      if (!isTraces || request.headers['content-type'] !== 'application/json') {
        response.writeHead(400).end();
        return;
      }
      const body = Buffer.concat(chunks).toString('utf8');
      bodies.push(body);
      spans.push(...readSpans(JSON.parse(body)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

type RawSpan = Omit<ReceivedSpan, 'attributes' | 'links' | 'resource'> & {
  readonly attributes?: readonly Attribute[];
  readonly links?: ReceivedSpan['links'];
};

function readSpans({ resourceSpans }: Body): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: valuesOf(span.attributes ?? []),
        links: span.links ?? [],
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.boolValue ??
        value.doubleValue ??
        (value.intValue === undefined ? '' : Number(value.intValue)),
    ]),
  );
}
