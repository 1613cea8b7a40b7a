import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import { boardResources } from '../../../src/tools/escrow/board-resources.ts';
import { BoardDouble } from '../../support/board-double.ts';

const BY = { wallet: `0x${'b0'.repeat(20)}`, key: 'k' };

async function read(board: BoardDouble, uri: string) {
  for (const resource of boardResources(board)) {
    const content = await resource.read(uri);
    if (content !== undefined) return content;
  }
  return undefined;
}

test('requests and jobs are read by their addresses, as plain HTTP tells them', async () => {
  const board = new BoardDouble();
  const posted = await board.postRequest(
    {
      capabilityId: 'translation',
      taskDescription: 'Translate the page.',
      budgetMicroUsd: '25000000',
      funding: 'escrow',
      openMs: 1,
      fulfilMs: 1,
    },
    BY,
  );
  await board.startJob('req_1', {} as never, BY);
  const open = await read(board, 'stoa://a2a/requests/open');
  expect(open?.mimeType).toBe('application/json');
  expect(JSON.parse(open?.text ?? '')).toEqual({ requests: [posted], cursor: null });
  const request = await read(board, 'stoa://a2a/requests/req_1');
  expect(JSON.parse(request?.text ?? '')).toEqual(posted);
  const job = await read(board, 'stoa://a2a/jobs/job_1');
  expect(JSON.parse(job?.text ?? '')).toEqual(await board.readJob('job_1'));
});

test('other addresses and unknown ids name nothing; a fault stays one', async () => {
  const board = new BoardDouble();
  for (const uri of [
    'stoa://a2a/requests/none',
    'stoa://a2a/jobs/none',
    'stoa://a2a/jobs/',
    'stoa://a2a/jobs/a/b',
    'stoa://a2a/bids/bid_1',
    'panel://x/transcript',
  ]) {
    expect(await read(board, uri)).toBe(undefined);
  }
  board.readJob = () => Promise.reject(new AppError('STORE_FULL'));
  await expect(read(board, 'stoa://a2a/jobs/x')).rejects.toMatchObject({ code: 'STORE_FULL' });
});
