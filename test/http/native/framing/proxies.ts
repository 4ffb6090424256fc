/**
 * Eight proxies of Debian in front of a hub, each with a minimal configuration: connections to the hub are reused where
 * the proxy can, nothing is cached, and an unfinished request ends after a few seconds. Less than a busy machine may
 * let pass between a connection and its first byte would end a caller who did nothing wrong. Owns the configurations;
 * proxy-process.ts starts them.
 */

/** Where a proxy runs. */
export interface Place {
  readonly folder: string
  /** Where it listens, on loopback. */
  readonly port: number
  /** The port of the hub. */
  readonly hub: number
}

/** How one proxy is started. */
export interface Proxy {
  readonly name: string
  /** Its files, by name. */
  readonly files: (place: Place) => Readonly<Record<string, string>>
  /** The program and its arguments; it stays in the foreground. */
  readonly command: (place: Place) => readonly [string, ...ReadonlyArray<string>]
  /** What makes it say its version. */
  readonly version: readonly [string, ...ReadonlyArray<string>]
}

const nginx: Proxy = {
  name: "nginx",
  files: ({ folder, port, hub }) => ({
    "nginx.conf": `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
worker_processes 1;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_header_timeout 3s;
  client_body_timeout 1s;
  keepalive_timeout 1s;
  lingering_timeout 1s;
  upstream hub { server 127.0.0.1:${hub}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://hub;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_request_buffering off;
      proxy_read_timeout 2s;
    }
  }
}
`
  }),
  command: ({ folder }) => ["nginx", "-e", `${folder}/error.log`, "-p", folder, "-c", `${folder}/nginx.conf`],
  version: ["nginx", "-v"]
}

const haproxy: Proxy = {
  name: "haproxy",
  files: ({ port, hub }) => ({
    "haproxy.cfg": `
defaults
  mode http
  timeout connect 1s
  timeout client 3s
  timeout server 2s
  timeout http-request 3s
  timeout http-keep-alive 1s
  http-reuse always
frontend front
  bind 127.0.0.1:${port}
  default_backend hub
backend hub
  server hub 127.0.0.1:${hub}
`
  }),
  command: ({ folder }) => ["haproxy", "-db", "-q", "-f", `${folder}/haproxy.cfg`],
  version: ["haproxy", "-v"]
}

const apache: Proxy = {
  name: "apache2",
  files: ({ folder, port, hub }) => ({
    "apache2.conf": `
ServerRoot ${folder}
ServerName h
PidFile ${folder}/apache2.pid
DefaultRuntimeDir ${folder}
Mutex file:${folder}
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule reqtimeout_module /usr/lib/apache2/modules/mod_reqtimeout.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
User www-data
Group www-data
Timeout 3
KeepAliveTimeout 1
RequestReadTimeout header=3 body=3
ProxyTimeout 2
ProxyPass / http://127.0.0.1:${hub}/ enablereuse=on
`
  }),
  command: ({ folder }) => ["apache2", "-X", "-f", `${folder}/apache2.conf`],
  version: ["apache2", "-v"]
}

const caddy: Proxy = {
  name: "caddy",
  files: ({ folder, port, hub }) => ({
    Caddyfile: `
{
  admin off
  auto_https off
  storage file_system ${folder}/storage
  servers {
    timeouts {
      read_header 3s
      read_body 1s
      idle 1s
    }
  }
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${hub}
}
`
  }),
  command: ({ folder }) => ["caddy", "run", "--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"],
  version: ["caddy", "version"]
}

const varnish: Proxy = {
  name: "varnish",
  files: ({ hub }) => ({
    "hub.vcl": `
vcl 4.1;
backend hub {
  .host = "127.0.0.1";
  .port = "${hub}";
  .first_byte_timeout = 2s;
  .between_bytes_timeout = 2s;
}
sub vcl_recv { return (pass); }
`
  }),
  command: ({ folder, port }) => [
    "varnishd",
    ...["-F", "-j", "none", "-n", `${folder}/work`, "-f", `${folder}/hub.vcl`, "-a", `127.0.0.1:${port}`],
    ...["-s", "malloc,16m", "-p", "timeout_idle=3", "-p", "thread_pool_min=5", "-p", "thread_pools=1"]
  ],
  version: ["varnishd", "-V"]
}

const h2o: Proxy = {
  name: "h2o",
  files: ({ folder, port, hub }) => ({
    "h2o.conf": `
listen:
  host: 127.0.0.1
  port: ${port}
num-threads: 1
error-log: ${folder}/error.log
http1-request-timeout: 3
hosts:
  default:
    paths:
      /:
        proxy.reverse.url: http://127.0.0.1:${hub}
        proxy.timeout.io: 2000
        proxy.timeout.keepalive: 2000
`
  }),
  command: ({ folder }) => ["h2o", "-c", `${folder}/h2o.conf`],
  version: ["h2o", "--version"]
}

const lighttpd: Proxy = {
  name: "lighttpd",
  files: ({ folder, port, hub }) => ({
    "lighttpd.conf": `
server.modules = ( "mod_proxy" )
server.document-root = "${folder}"
server.errorlog = "${folder}/error.log"
server.bind = "127.0.0.1"
server.port = ${port}
server.upload-dirs = ( "${folder}" )
server.max-keep-alive-idle = 1
server.max-read-idle = 3
server.stream-request-body = 2
proxy.server = ( "" => ( ( "host" => "127.0.0.1", "port" => ${hub} ) ) )
`
  }),
  command: ({ folder }) => ["lighttpd", "-D", "-f", `${folder}/lighttpd.conf`],
  version: ["lighttpd", "-v"]
}

const squid: Proxy = {
  name: "squid",
  files: ({ folder, port, hub }) => ({
    "squid.conf": `
http_port 127.0.0.1:${port} accel defaultsite=h no-vhost
cache_peer 127.0.0.1 parent ${hub} 0 no-query originserver name=hub
cache_peer_access hub allow all
http_access allow all
never_direct allow all
cache deny all
cache_mem 8 MB
pid_filename none
access_log none
cache_log ${folder}/cache.log
cache_store_log none
coredump_dir ${folder}
netdb_filename none
pinger_enable off
visible_hostname h
request_timeout 1 second
request_start_timeout 3 seconds
client_idle_pconn_timeout 1 second
read_timeout 2 seconds
shutdown_lifetime 0 seconds
`
  }),
  command: ({ folder }) => ["squid", "-N", "-f", `${folder}/squid.conf`],
  version: ["squid", "-v"]
}

/** All of them. */
export const proxies: ReadonlyArray<Proxy> = [nginx, haproxy, apache, caddy, varnish, h2o, lighttpd, squid]
