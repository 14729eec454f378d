import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Probot } from 'probot';

/** Probot as its guide has it: `HANDLER=eyes` reacts to each comment, else the handler is empty. */
const { APP_ID, PRIVATE_KEY, WEBHOOK_SECRET, GITHUB_API_URL, HANDLER } = process.env;
const probot = new Probot({
  ...{ appId: APP_ID!, privateKey: PRIVATE_KEY!, secret: WEBHOOK_SECRET!, baseUrl: GITHUB_API_URL! },
  logLevel: 'fatal',
});
const middleware = await createNodeMiddleware(
  (app) => {
    app.on('issue_comment.created', async (context) => {
      if (HANDLER !== 'eyes') return;
      const { comment } = context.payload;
      await context.octokit.rest.reactions.createForIssueComment(
        context.repo({ comment_id: comment.id, content: 'eyes' }),
      );
    });
  },
  { probot, webhooksPath: '/' },
);
const server = createServer((request, response) => void middleware(request, response));
server.listen(0, '127.0.0.1', () => {
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
});
