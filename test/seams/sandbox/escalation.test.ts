import { describe, expect, it, jest } from '@jest/globals';
import { approveNetwork } from '../../../src/seams/sandbox/approve-network.ts';
import {
  approveEscalation,
  ESCALATION_TARGETS,
  escalationHintMarker,
  sandboxDenialMarker,
  validateEscalationArgs,
} from '../../../src/seams/sandbox/escalation.ts';
import type { EscalationApprover, EscalationOutcome } from '../../../src/seams/sandbox/escalation.ts';
import { SANDBOX_UNAVAILABLE, SandboxUnavailableError } from '../../../src/seams/sandbox/sandbox-unavailable-error.ts';
import type { SandboxMode } from '../../../src/seams/sandbox/types.ts';

const request = {
  requestedMode: 'workspace-write',
  justification: 'write the report',
  effectiveMode: 'read-only' as SandboxMode,
  subject: 'command',
};

function asking(outcome: EscalationOutcome) {
  const approver = { request: jest.fn<EscalationApprover<string, string>['request']>(async () => outcome) };
  return { approver, approval: { approver, agent: 'agent', callId: 'c1', toolName: 'bash' } };
}

describe('sandbox', () => {
  it.each([
    ['a mode without a reason', 'workspace-write', undefined],
    ['a reason without a mode', undefined, 'because'],
    ['a blank reason', 'workspace-write', '  '],
  ])('B11 refuses %s', (_what, permissions, justification) => {
    expect(() => validateEscalationArgs(permissions, justification)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGS' }),
    );
  });

  it('B11 accepts both fields and neither', () => {
    expect(() => validateEscalationArgs('workspace-write', 'because')).not.toThrow();
    expect(() => validateEscalationArgs()).not.toThrow();
  });

  it('B12 asks with the mode and the reason and returns what was granted', async () => {
    const { approver, approval } = asking('allowed-once');

    const mode = await approveEscalation(request, approval);

    expect(mode).toBe('workspace-write');
    expect(approver.request.mock.calls).toEqual([
      [
        {
          agent: 'agent',
          toolName: 'bash',
          callId: 'c1',
          reason: 'escalate sandbox to workspace-write: write the report',
        },
      ],
    ]);
  });

  it.each([
    ['workspace-write', 'workspace-write'],
    ['workspace-write', 'danger-full-access'],
    ['read-only', 'read-only'],
    ['constructor', 'read-only'],
    ['danger-full-access', 'constructor'],
  ])('B12 asks nobody for %s under %s', async (requestedMode, effectiveMode) => {
    const { approver, approval } = asking('allowed-once');

    const asked = approveEscalation(
      { ...request, requestedMode, effectiveMode: effectiveMode as SandboxMode },
      approval,
    );

    await expect(asked).rejects.toMatchObject({ code: 'SANDBOX_ESCALATION_NOT_WIDER' });
    expect(approver.request).not.toHaveBeenCalled();
  });

  it('B12 has a text of its own for every way to fail, in a fixed order', async () => {
    const failures = [
      approveEscalation(
        { ...request, requestedMode: 'read-only' },
        { ...asking('rejected').approval, approver: undefined },
      ),
      approveEscalation(request, { ...asking('rejected').approval, approver: undefined, agent: undefined }),
      approveEscalation(request, { ...asking('rejected').approval, agent: undefined }),
      approveEscalation(request, asking('rejected').approval),
      approveEscalation(request, asking('cancelled').approval),
      approveEscalation(request, asking('unavailable').approval),
      approveEscalation(request, asking('yes' as never).approval),
    ];

    const errors = await Promise.all(
      failures.map((failure) => failure.then(String, (error: { code: string }) => error)),
    );

    expect(errors.map((error) => (error as { code: string }).code)).toEqual(
      ['NOT_WIDER', 'NO_APPROVER', 'NO_AGENT', 'REJECTED', 'CANCELLED', 'NO_ANSWER', 'NO_ANSWER'].map(
        (reason) => `SANDBOX_ESCALATION_${reason}`,
      ),
    );
    expect(new Set(errors.map(String)).size).toBe(6);
  });

  it('B14 offers the same closed list whatever the default mode is', () => {
    expect(ESCALATION_TARGETS).toEqual(['workspace-write', 'danger-full-access']);
  });

  it('B17 marks a denial in one line and the way out in another', () => {
    expect(sandboxDenialMarker('read-only')).toBe('[sandbox: file access denied under read-only mode]');
    expect(escalationHintMarker('operation')).toContain('retry this exact operation once with sandbox_permissions');
  });

  it('N12 opens the network for one call after the same checks, up to the bound of the operator', async () => {
    const network = { requested: 'full', justification: 'fetch it', effective: 'none', bound: 'full' } as const;
    const granted = asking('allowed-once');

    expect(await approveNetwork(network, granted.approval)).toBe('full');
    expect(granted.approver.request.mock.calls[0]?.[0].reason).toBe('open network full: fetch it');
    await expect(approveNetwork(network, asking('rejected').approval)).rejects.toMatchObject({
      code: 'SANDBOX_ESCALATION_REJECTED',
    });

    const beyond = asking('allowed-once');
    await expect(approveNetwork({ ...network, bound: 'allow-list' }, beyond.approval)).rejects.toMatchObject({
      code: 'SANDBOX_ESCALATION_BOUND',
    });
    expect(await approveNetwork({ ...network, effective: 'full' }, beyond.approval)).toBe('full');
    expect(beyond.approver.request).not.toHaveBeenCalled();
  });

  it('B5 names the mode that could not be confined, the reason and its code', () => {
    const error = new SandboxUnavailableError('read-only', 'the engine did not answer');

    expect(error).toMatchObject({ code: SANDBOX_UNAVAILABLE, name: 'SandboxUnavailableError' });
    expect(error.message).toMatch(/read-only.*the engine did not answer.*[Nn]othing was run/);
  });
});
