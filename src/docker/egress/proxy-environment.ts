import { EGRESS_PORT } from '../agent/protocol.ts';

/** Leads the usual programs to the way out: all that read the common names, and those that have names of their own. */
export function proxyEnvironment(): Record<string, string> {
  const proxy = `http://127.0.0.1:${EGRESS_PORT}`;
  const direct = 'localhost,127.0.0.1,::1';
  const java = ['http', 'https'].flatMap((scheme) => [
    `-D${scheme}.proxyHost=127.0.0.1`,
    `-D${scheme}.proxyPort=${EGRESS_PORT}`,
  ]);
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: direct,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: direct,
    // Node's own client looks at the names above only when it is told to.
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    PIP_PROXY: proxy,
    CARGO_HTTP_PROXY: proxy,
    MAVEN_OPTS: [...java, '-Daether.connector.http.useSystemProperties=true'].join(' '),
  };
}
