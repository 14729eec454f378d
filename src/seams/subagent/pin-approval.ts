import { setApprovalPolicy } from '../approval/approval-policy.ts';
import type { CaptureOverrides } from './local-provider.ts';

/** Nobody can answer for a child: what it lacks it says in its last text, and the parent decides. */
export const pinApproval: CaptureOverrides = () => (child) => setApprovalPolicy(child, 'never');
