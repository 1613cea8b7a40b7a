import { expect, test } from 'vitest';
import type { Grant } from '../../../src/domain/tool/tool.ts';
import { createHostingCore } from '../../../src/transport/front/hosting-core.ts';
import type { HttpRequest } from '../../../src/transport/http/host.ts';
import type { EndpointCore } from '../../../src/transport/mcp/endpoint-core.ts';
import { testService } from '../../support/tool-service.ts';

/** The endpoint for a caller that is the operator, or holds a grant, or neither. */
function coreFor(caller: { readonly isOperator?: boolean; readonly grant?: Grant }) {
  return createHostingCore({} as EndpointCore, {
    hosting: testService(),
    workspaces: undefined,
    isOperator: () => caller.isOperator === true,
    grantOf: () => caller.grant,
  });
}

const request = {} as HttpRequest;

test('the operator has no grant, which allows all; a token has its own', () => {
  const operator = coreFor({ isOperator: true });
  expect(operator.grantOf?.(request)).toBeUndefined();
  expect(operator.principalOf(request)).toEqual({ kind: 'local', id: 'operator' });
  const grant = { tokenId: 'a', workspaceId: 'tea-a' };
  const token = coreFor({ grant });
  expect(token.grantOf?.(request)).toEqual(grant);
  expect(token.principalOf(request)).toEqual({ kind: 'token', id: 'a' });
});

test('who is neither is granted nothing, and never taken for the operator', () => {
  const core = coreFor({});
  expect(core.grantOf?.(request)).toMatchObject({ toolsets: [], isReadOnly: true });
  expect(core.grantOf?.(request)?.workspaceId).not.toBeUndefined();
  expect(core.principalOf(request).kind).toBe('token');
});
