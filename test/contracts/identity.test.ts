import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContractWorld, contractWorld, type Deployed } from '../support/contract-world.ts';

let world: ContractWorld;
let identity: Deployed;
let owner: PrivateKeyAccount;

beforeAll(async () => {
  world = await contractWorld();
  identity = await world.deploy('AgentIdentity');
  owner = await world.account();
}, 60_000);
afterAll(() => world.close());

const NOBODY = '0x0000000000000000000000000000000000000000';

/** Registers an agent of `owner` and tells its number. */
async function registered(uri = 'https://agents.example/1'): Promise<bigint> {
  const before = await next();
  await identity.send(owner, 'register', uri, []);
  return before;
}

let made = 0n;
async function next(): Promise<bigint> {
  return made++;
}

interface WalletOrder {
  readonly agentId: bigint;
  readonly wallet: PrivateKeyAccount;
  readonly signer?: PrivateKeyAccount;
  readonly aheadS?: number;
}

/** What `setAgentWallet` is called with, signed. */
async function walletCall({ agentId, wallet, signer = wallet, aheadS = 120 }: WalletOrder) {
  const deadline = BigInt((await world.nowS()) + aheadS);
  const signature = await signer.signTypedData({
    domain: {
      name: 'ERC8004IdentityRegistry',
      version: '1',
      chainId: world.chainId,
      verifyingContract: identity.address,
    },
    types: {
      AgentWalletSet: [
        { name: 'agentId', type: 'uint256' },
        { name: 'newWallet', type: 'address' },
        { name: 'owner', type: 'address' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'AgentWalletSet',
    message: { agentId, newWallet: wallet.address, owner: owner.address, deadline },
  });
  return [agentId, wallet.address, deadline, signature] as const;
}

const walletOf = (agentId: bigint) => identity.read<string>('getAgentWallet', agentId);

describe('AgentIdentity', () => {
  test('agents are counted from 0 and begin with their owner as wallet', async () => {
    const first = await registered();
    const second = await registered('https://agents.example/2');
    expect(second).toBe(first + 1n);
    expect(await identity.read('ownerOf', second)).toBe(owner.address);
    expect(await identity.read('tokenURI', second)).toBe('https://agents.example/2');
    expect(await walletOf(second)).toBe(owner.address);
    expect(await identity.read('getVersion')).toBe('2.0.0');
  });

  test('a wallet is bound by its own signature alone, whoever brings it for the owner', async () => {
    const agentId = await registered();
    const wallet = await world.account();
    const stranger = await world.account();
    const forged = await walletCall({ agentId, wallet, signer: stranger });
    await expect(identity.send(owner, 'setAgentWallet', ...forged)).rejects.toThrow(
      'WalletSignatureInvalid',
    );
    const call = await walletCall({ agentId, wallet });
    await expect(identity.send(stranger, 'setAgentWallet', ...call)).rejects.toThrow(
      'NotAuthorized',
    );
    await identity.send(owner, 'setAgentWallet', ...call);
    expect(await walletOf(agentId)).toBe(wallet.address);
  });

  test('a signature that is late, or dated more than five minutes ahead, is refused', async () => {
    const agentId = await registered();
    const wallet = await world.account();
    const far = await walletCall({ agentId, wallet, aheadS: 900 });
    await expect(identity.send(owner, 'setAgentWallet', ...far)).rejects.toThrow('DeadlineTooFar');
    const late = await walletCall({ agentId, wallet, aheadS: 10 });
    await world.passS(60);
    await expect(identity.send(owner, 'setAgentWallet', ...late)).rejects.toThrow(
      'SignatureExpired',
    );
  });

  test('a transfer clears the wallet', async () => {
    const agentId = await registered();
    const heir = await world.account();
    const pass = ['transferFrom', owner.address, heir.address, agentId] as const;
    await identity.send(owner, ...pass);
    expect(await walletOf(agentId)).toBe(NOBODY);
    expect(await identity.read('getMetadata', agentId, 'agentWallet')).toBe('0x');
  });

  test('metadata is the owner’s to write, and the wallet’s key is reserved', async () => {
    const agentId = await registered();
    const stranger = await world.account();
    await identity.send(owner, 'setMetadata', agentId, 'class', '0x01');
    expect(await identity.read('getMetadata', agentId, 'class')).toBe('0x01');
    await expect(identity.send(stranger, 'setMetadata', agentId, 'class', '0x02')).rejects.toThrow(
      'NotAuthorized',
    );
    await expect(
      identity.send(owner, 'setMetadata', agentId, 'agentWallet', '0x02'),
    ).rejects.toThrow('ReservedKey');
    const entries = [{ metadataKey: 'agentWallet', metadataValue: '0x02' }];
    await expect(identity.send(owner, 'register', '', entries)).rejects.toThrow('ReservedKey');
  });

  test('an operator that the owner approved acts for it', async () => {
    const agentId = await registered();
    const helper = await world.account();
    await identity.send(owner, 'setApprovalForAll', helper.address, true);
    await identity.send(helper, 'setAgentURI', agentId, 'https://agents.example/moved');
    expect(await identity.read('tokenURI', agentId)).toBe('https://agents.example/moved');
    await identity.send(helper, 'unsetAgentWallet', agentId);
    expect(await walletOf(agentId)).toBe(NOBODY);
    expect(await identity.read('isAuthorizedOrOwner', helper.address, agentId)).toBe(true);
  });
});
