import { isWiderNetwork } from '../sandbox/approve-network.ts';
import type { SandboxNetwork } from '../sandbox/types.ts';
import type { BashRunResult } from './executor.ts';

/** What is possible here, so that the help does not name a way that is closed. */
export interface AdviceFacts {
  maxTimeoutMs: number;
  background: boolean;
  escalation: boolean;
  network: SandboxNetwork;
  /** The widest that a person may open for one call. */
  networkBound: SandboxNetwork;
  /** Other programs for the job of the missing one, that exist here. */
  kin: readonly string[];
}

/** In English, and as a container with a Chinese locale says it. */
const NO_NETWORK =
  /could not resolve host|temporary failure in name resolution|name or service not known|network is unreachable|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|no such host|failed to lookup address|refused by the sandbox|connect tunnel failed|未知的名称或服务|域名解析暂时失败|网络不可达/i;
const NO_RIGHT = /operation not permitted|permission denied|\bE(?:PERM|ACCES)\b|不允许的操作|权限不够/i;

/** The next step after each way a command usually fails, one line each. */
export function bashAdvice(result: BashRunResult, facts: AdviceFacts): string[] {
  if (result.timedOut) return [timeoutAdvice(result, facts)];
  if (result.exitCode === 0 || result.exitCode === null) return [];
  const missing = missingCommand(result);
  if (missing !== undefined) return [missingAdvice(missing, facts)];
  const errors = `${result.stderr.text}\n${result.stdout.text}`;
  if (facts.network !== 'full' && NO_NETWORK.test(errors)) return [networkAdvice(facts)];
  if (result.sandbox?.denied) return facts.escalation ? [] : [DENIED];
  return result.exitCode !== 126 && NO_RIGHT.test(result.stderr.text) ? [rightsAdvice(result, facts)] : [];
}

/** The program that bash did not find, if that is how the command ended. */
export function missingCommand({ exitCode, stderr }: BashRunResult): string | undefined {
  if (exitCode !== 127) return undefined;
  return /(?:^|[:：\s])([\w.+-]+)[:：] ?(?:command not found|未找到命令)\s*$/m.exec(stderr.text)?.[1];
}

const DENIED =
  'this is policy; repeating the command or writing another way will not help — copy what must change below /tmp and work there';

function timeoutAdvice({ timeoutMs }: BashRunResult, { maxTimeoutMs, background }: AdviceFacts): string {
  const raise = timeoutMs < maxTimeoutMs ? `, or raise timeoutMs (at most ${maxTimeoutMs})` : '';
  return `the limit was ${timeoutMs} ms; run less${raise}${background ? ', or use run_in_background' : ''}`;
}

function missingAdvice(command: string, { kin, network }: AdviceFacts): string {
  const install = network === 'none' ? 'without network nothing can be installed' : 'do not count on installing it';
  const others = kin.length > 0 ? `of its kind there is ${kin.join(', ')}` : 'nothing of its kind is here';
  return `${command} is not in this container and ${install}; ${others}`;
}

function rightsAdvice({ sandbox }: BashRunResult, { escalation }: AdviceFacts): string {
  const isWidest = sandbox?.mode === 'danger-full-access';
  if (escalation && !isWidest) {
    return 'commands run without special rights; if they are needed, retry this exact command once with sandbox_permissions danger-full-access and justification';
  }
  const have = isWidest ? 'the container has no further rights' : 'commands run without special rights';
  return `${have}; this is policy, and repeating or another way will not help — work in the tree and below /tmp`;
}

function networkAdvice({ network, networkBound }: AdviceFacts): string {
  const reach = network === 'none' ? 'there is no network' : 'only the package registries can be reached';
  if (isWiderNetwork(networkBound, network)) {
    return `${reach}; if more is needed, retry this exact command once with network and justification`;
  }
  return `${reach}; this is policy, and repeating or another way will not help — use what is installed or in the tree`;
}
