import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import type { NewRepository } from '../../../src/demo/github/add-repository.ts';
import { createGitHub, type GitHub, type GitHubOptions } from '../../../src/github/client.ts';
import type { Checkout } from '../../../src/github/git/checkout.ts';
import { openCheckout } from '../../../src/github/git/checkout.ts';
import type { CheckoutTarget } from '../../../src/github/git/resolve-target.ts';
import { readRepository } from '../../../src/github/repository.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';

export const REPO = { owner: 'acme', repo: 'shop' };

/** Reading GitHub's description takes a while: once for all servers of a test file. */
const validate = openapiValidator({ responses: false });

/** The test GitHub with one repository, `acme/shop`, and ourselves connected to it as its app. */
export class DemoGitHub {
  readonly server: GitHubServer;
  readonly dataDir = mkdtempSync(join(tmpdir(), 'dsh-data-'));

  static async start(repository: Partial<NewRepository> = {}): Promise<DemoGitHub> {
    const server = await startGitHub({ validate });
    await server.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' }, ...repository });
    return new DemoGitHub(server);
  }

  private constructor(server: GitHubServer) {
    this.server = server;
  }

  token(): string {
    return this.server.createToken({ installation: 'acme' });
  }

  connect(options: Partial<GitHubOptions> = {}): GitHub {
    return createGitHub({ auth: this.token(), apiUrl: this.server.apiUrl, ...options });
  }

  async open(target: CheckoutTarget = { kind: 'branch' }, session = 's1'): Promise<Checkout> {
    const repository = await readRepository(this.connect(), REPO);
    const settings = { dataDir: this.dataDir, tokens: async () => this.token() };
    return await openCheckout({ repository, target, session, settings });
  }

  /** `METHOD path` of what was sent from now on. */
  record(): () => string[] {
    const start = this.server.requests.length;
    return () => this.server.requests.slice(start).map(({ method, path }) => `${method} ${path}`);
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
