import type { Hex } from 'viem';
import { parseAbi } from 'viem/utils';
import type { TrustContracts } from '../../../domain/chain/trust-chain.ts';
import { ESCROW_FEE_BPS, RELEASE_WINDOW_S } from '../../escrow/escrow-words.ts';
import { isSameAddress } from '../../payment/local-check.ts';
import {
  requireCode,
  type Setting,
  shown,
  tryCall,
  wrongSetting,
} from '../../payment/wrong-setting.ts';
import type { OpenChain } from '../local/local-chain.ts';
import type { ContractAddresses, ContractName } from './deploy.ts';

/** The dependencies of the contract check. */
export type ContractCheckParts = Pick<OpenChain, 'rpc' | 'accounts' | 'token'>;

type Name = keyof TrustContracts;

/** A view call to a contract and its allowed answers. Without `wanted`, any answer is fine. */
interface Question {
  readonly name: string;
  readonly args?: readonly unknown[];
  readonly wanted?: readonly unknown[];
  /** Whether a contract without this function passes as well. */
  readonly isOptional?: boolean;
}

const ABI = parseAbi([
  'function token() view returns (address)',
  'function operator() view returns (address)',
  'function arbiter() view returns (address)',
  'function treasury() view returns (address)',
  'function FEE_BPS() view returns (uint16)',
  'function RELEASE_WINDOW() view returns (uint40)',
  'function version() view returns (uint16)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  'function getVersion() view returns (string)',
  'function getIdentityRegistry() view returns (address)',
  'function getLastIndex(uint256 agentId, address clientAddress) view returns (uint64)',
  'function getAgentValidations(uint256 agentId) view returns (bytes32[])',
  'function latestSize(address log) view returns (uint64)',
  'function rootAt(address log, uint64 size) view returns (bytes32)',
  'function marketCount() view returns (uint256)',
]);
/** Supported versions of the escrow. The first version has no function that returns it. */
const ESCROW_VERSIONS = [1, 2, 3];
/** The interface id of ERC-721, through which agents are owned. */
const OWNED = '0x80ac58cd';

/** Agents first: a contract that depends on a wrong agent registry is not wrong itself. */
const ORDER = ['identity', 'reputation', 'validation', 'escrow', 'anchor', 'prediction'] as const;

const ALLOWED: { readonly [Of in Name]: string } = {
  escrow: 'the escrow of this service, with its token, operator, arbiter and treasury',
  identity: 'an agent registry (ERC-8004 identity)',
  reputation: 'the feedback registry (ERC-8004 reputation) of that agent registry',
  validation: 'the validation registry (ERC-8004 validation) of that agent registry',
  anchor: 'a ProofAnchor contract',
  prediction: 'the retired PredictionPlatform contract',
};

/** Returns the setting that names a contract. */
export function contractSetting(name: ContractName, address: Hex): Setting {
  return { name: `STOA_${name.toUpperCase()}_ADDRESS`, address };
}

/**
 * Checks that each configured contract matches its setting and the other contracts.
 *
 * @param contracts - All that are used, public deployments included.
 * @param named - Those that the configuration names.
 * @throws {AppError} `CONFIG_INVALID` with the setting, the address and what was found there;
 *   `CHAIN_UNAVAILABLE`
 */
export async function checkContracts(
  parts: ContractCheckParts,
  contracts: TrustContracts,
  named: ContractAddresses,
): Promise<void> {
  for (const name of ORDER) {
    const address = named[name];
    if (address === undefined) continue;
    const setting = contractSetting(name, address);
    await requireCode(parts.rpc, setting, ALLOWED[name]);
    const questions = listQuestions(parts, contracts, name);
    await Promise.all(questions.map((each) => check(parts, { setting, name }, each)));
  }
}

function listQuestions(
  { accounts, token }: ContractCheckParts,
  { identity }: TrustContracts,
  name: Name,
): readonly Question[] {
  const operator = accounts.operator.address;
  const registered = { name: 'getIdentityRegistry', ...(identity && { wanted: [identity] }) };
  switch (name) {
    case 'escrow':
      return [
        { name: 'token', wanted: [token] },
        { name: 'operator', wanted: [operator] },
        { name: 'arbiter', wanted: [operator] },
        { name: 'treasury', wanted: [accounts.treasury.address] },
        { name: 'FEE_BPS', wanted: [ESCROW_FEE_BPS] },
        { name: 'RELEASE_WINDOW', wanted: [RELEASE_WINDOW_S] },
        { name: 'version', wanted: ESCROW_VERSIONS, isOptional: true },
      ];
    case 'identity':
      return [{ name: 'supportsInterface', args: [OWNED], wanted: [true] }, { name: 'getVersion' }];
    case 'reputation':
      return [registered, { name: 'getLastIndex', args: [0n, operator] }];
    case 'validation':
      return [registered, { name: 'getAgentValidations', args: [0n] }];
    case 'anchor':
      return [
        { name: 'latestSize', args: [operator] },
        { name: 'rootAt', args: [operator, 0n] },
      ];
    case 'prediction':
      return [{ name: 'marketCount' }];
  }
}

async function check(
  { rpc }: ContractCheckParts,
  { setting, name }: { readonly setting: Setting; readonly name: Name },
  { wanted, isOptional = false, ...asked }: Question,
): Promise<void> {
  const tried = await tryCall(rpc, setting.address, { abi: ABI, ...asked });
  if (!tried.ok) {
    if (isOptional && tried.isRefused) return;
    throw wrongSetting(setting, { found: tried.found, allowed: ALLOWED[name] });
  }
  const fits = wanted?.some((each) => isEqual(each, tried.answer)) ?? true;
  if (fits) return;
  const found = `${asked.name}() is ${shown(tried.answer)}, not ${wanted?.map(shown).join(' or ')}`;
  throw wrongSetting(setting, { found, allowed: ALLOWED[name] });
}

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') return isSameAddress(one, other);
  return one === other;
}
