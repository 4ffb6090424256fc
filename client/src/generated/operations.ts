/** How each operation is called. Generated from the contract by test/contract/generated-client-sources.ts; a test compares. Not edited by hand. */

/** Every operation, by name. */
export const operations = {
  "system.health": {
    method: "GET",
    path: "/healthz",
    answer: "json"
  },
  "system.ready": {
    method: "GET",
    path: "/readyz",
    answer: "json"
  },
  "system.metrics": {
    method: "GET",
    path: "/metrics",
    answer: "text"
  },
  "auth.login": {
    method: "POST",
    path: "/api/v1/auth/login",
    body: true,
    answer: "json"
  },
  "auth.exchange": {
    method: "POST",
    path: "/api/v1/auth/exchange",
    body: true,
    answer: "json"
  },
  "auth.refresh": {
    method: "POST",
    path: "/api/v1/auth/refresh",
    answer: "json"
  },
  "auth.logout": {
    method: "POST",
    path: "/api/v1/auth/logout",
    answer: "json"
  },
  "auth.logoutOthers": {
    method: "POST",
    path: "/api/v1/auth/logout-others",
    answer: "json"
  },
  "auth.switch": {
    method: "POST",
    path: "/api/v1/auth/switch",
    body: true,
    answer: "json"
  },
  "auth.setPassword": {
    method: "POST",
    path: "/api/v1/auth/password",
    body: true,
    answer: "json"
  },
  "deviceCodes.begin": {
    method: "POST",
    path: "/api/v1/auth/device",
    body: true,
    answer: "json"
  },
  "deviceCodes.token": {
    method: "POST",
    path: "/api/v1/auth/device/token",
    body: true,
    answer: "json"
  },
  "deviceCodes.show": {
    method: "POST",
    path: "/api/v1/auth/device/show",
    body: true,
    answer: "json"
  },
  "deviceCodes.approve": {
    method: "POST",
    path: "/api/v1/auth/device/approve",
    body: true,
    answer: "json"
  },
  "deviceCodes.deny": {
    method: "POST",
    path: "/api/v1/auth/device/deny",
    body: true,
    answer: "json"
  },
  "account.me": {
    method: "GET",
    path: "/api/v1/me",
    answer: "json"
  },
  "account.usage": {
    method: "GET",
    path: "/api/v1/usage",
    answer: "json"
  },
  "keys.list": {
    method: "GET",
    path: "/api/v1/api-keys",
    query: ["limit", "cursor"],
    answer: "json"
  },
  "keys.create": {
    method: "POST",
    path: "/api/v1/api-keys",
    body: true,
    keyed: true,
    answer: "json"
  },
  "keys.revoke": {
    method: "DELETE",
    path: "/api/v1/api-keys/{keyId}",
    answer: "json"
  },
  "connectedApps.list": {
    method: "GET",
    path: "/api/v1/connected-apps",
    answer: "json"
  },
  "connectedApps.disconnect": {
    method: "DELETE",
    path: "/api/v1/connected-apps/{appId}",
    answer: "json"
  },
  "connectedApps.show": {
    method: "POST",
    path: "/api/v1/connected-apps/requests/show",
    body: true,
    answer: "json"
  },
  "connectedApps.approve": {
    method: "POST",
    path: "/api/v1/connected-apps/requests/approve",
    body: true,
    answer: "json"
  },
  "connectedApps.deny": {
    method: "POST",
    path: "/api/v1/connected-apps/requests/deny",
    body: true,
    answer: "json"
  },
  "members.list": {
    method: "GET",
    path: "/api/v1/members",
    query: ["limit", "cursor"],
    answer: "json"
  },
  "members.change": {
    method: "PATCH",
    path: "/api/v1/members/{personId}",
    body: true,
    answer: "json"
  },
  "members.remove": {
    method: "DELETE",
    path: "/api/v1/members/{personId}",
    answer: "json"
  },
  "members.invitations": {
    method: "GET",
    path: "/api/v1/invitations",
    answer: "json"
  },
  "members.invite": {
    method: "POST",
    path: "/api/v1/invitations",
    body: true,
    keyed: true,
    answer: "json"
  },
  "members.uninvite": {
    method: "DELETE",
    path: "/api/v1/invitations/{invitationId}",
    answer: "json"
  },
  "members.showInvitation": {
    method: "POST",
    path: "/api/v1/auth/invitations/show",
    body: true,
    answer: "json"
  },
  "members.accept": {
    method: "POST",
    path: "/api/v1/auth/invitations/accept",
    body: true,
    answer: "json"
  },
  "serviceAccounts.list": {
    method: "GET",
    path: "/api/v1/service-accounts",
    query: ["limit", "cursor"],
    answer: "json"
  },
  "serviceAccounts.create": {
    method: "POST",
    path: "/api/v1/service-accounts",
    body: true,
    keyed: true,
    answer: "json"
  },
  "serviceAccounts.change": {
    method: "PATCH",
    path: "/api/v1/service-accounts/{serviceAccountId}",
    body: true,
    answer: "json"
  },
  "serviceAccounts.remove": {
    method: "DELETE",
    path: "/api/v1/service-accounts/{serviceAccountId}",
    answer: "json"
  },
  "serviceAccounts.createKey": {
    method: "POST",
    path: "/api/v1/service-accounts/{serviceAccountId}/keys",
    body: true,
    keyed: true,
    answer: "json"
  },
  "requests.list": {
    method: "GET",
    path: "/api/v1/requests",
    query: ["status", "method", "reason", "key", "operation", "pathContains", "since", "limit", "cursor"],
    answer: "json"
  },
  "audit.list": {
    method: "GET",
    path: "/api/v1/audit",
    query: ["action", "actor", "object", "outcome", "since", "until", "limit", "cursor"],
    answer: "json"
  },
  "daemons.list": {
    method: "GET",
    path: "/api/v1/daemons",
    query: ["include", "selector", "q", "status", "update", "sort", "limit", "cursor"],
    answer: "json"
  },
  "daemons.status": {
    method: "GET",
    path: "/api/v1/daemons/{daemonId}/status",
    answer: "json"
  },
  "daemons.command": {
    method: "POST",
    path: "/api/v1/daemons/{daemonId}/command",
    body: true,
    keyed: true,
    answer: "json"
  },
  "daemons.terminal": {
    method: "POST",
    path: "/api/v1/daemons/{daemonId}/terminal",
    body: true,
    keyed: true,
    answer: "json"
  },
  "daemons.disconnect": {
    method: "POST",
    path: "/api/v1/daemons/{daemonId}/disconnect",
    keyed: true,
    answer: "json"
  },
  "daemons.revoke": {
    method: "POST",
    path: "/api/v1/daemons/{daemonId}/revoke",
    keyed: true,
    answer: "json"
  },
  "daemons.remove": {
    method: "DELETE",
    path: "/api/v1/daemons/{daemonId}",
    answer: "json"
  },
  "daemons.tag": {
    method: "PUT",
    path: "/api/v1/daemons/{daemonId}/tags",
    body: true,
    answer: "json"
  },
  "tags.merge": {
    method: "PATCH",
    path: "/api/v1/daemons/{daemonId}/tags",
    body: true,
    answer: "json"
  },
  "daemons.enroll": {
    method: "POST",
    path: "/api/v1/daemons/enroll",
    body: true,
    keyed: true,
    answer: "json"
  },
  "daemonVersions.list": {
    method: "GET",
    path: "/api/v1/daemon-versions",
    answer: "json"
  },
  "daemonVersions.show": {
    method: "GET",
    path: "/api/v1/daemon-versions/{policyId}",
    answer: "json"
  },
  "daemonVersions.set": {
    method: "PUT",
    path: "/api/v1/daemon-versions/{policyId}",
    body: true,
    answer: "json"
  },
  "daemonVersions.remove": {
    method: "DELETE",
    path: "/api/v1/daemon-versions/{policyId}",
    answer: "json"
  },
  "policies.list": {
    method: "GET",
    path: "/api/v1/policies",
    answer: "json"
  },
  "policies.show": {
    method: "GET",
    path: "/api/v1/policies/{policyId}",
    answer: "json"
  },
  "policies.set": {
    method: "PUT",
    path: "/api/v1/policies/{policyId}",
    body: true,
    answer: "json"
  },
  "policies.remove": {
    method: "DELETE",
    path: "/api/v1/policies/{policyId}",
    answer: "json"
  },
  "policies.evaluate": {
    method: "POST",
    path: "/api/v1/policies/{policyId}/evaluate",
    body: true,
    answer: "json"
  },
  "pushSubscriptions.list": {
    method: "GET",
    path: "/api/v1/push-subscriptions",
    answer: "json"
  },
  "pushSubscriptions.add": {
    method: "POST",
    path: "/api/v1/push-subscriptions",
    body: true,
    answer: "json"
  },
  "pushSubscriptions.remove": {
    method: "DELETE",
    path: "/api/v1/push-subscriptions/{pushSubscriptionId}",
    answer: "json"
  },
  "pushSubscriptions.answer": {
    method: "POST",
    path: "/api/v1/push-answers",
    body: true,
    answer: "json"
  },
  "tags.set": {
    method: "PUT",
    path: "/api/v1/tags",
    query: ["selector"],
    body: true,
    answer: "json"
  },
  "tags.change": {
    method: "PATCH",
    path: "/api/v1/tags",
    query: ["selector"],
    body: true,
    answer: "json"
  },
  "joinKeys.list": {
    method: "GET",
    path: "/api/v1/join-keys",
    answer: "json"
  },
  "joinKeys.create": {
    method: "POST",
    path: "/api/v1/join-keys",
    body: true,
    keyed: true,
    answer: "json"
  },
  "joinKeys.remove": {
    method: "DELETE",
    path: "/api/v1/join-keys/{joinKeyId}",
    answer: "json"
  },
  "joinKeys.join": {
    method: "POST",
    path: "/api/v1/daemons/join",
    body: true,
    answer: "json"
  },
  "shortcuts.launch": {
    method: "POST",
    path: "/api/v1/shortcuts/{daemonId}/launch",
    body: true,
    keyed: true,
    answer: "json"
  },
  "shortcuts.stop": {
    method: "POST",
    path: "/api/v1/shortcuts/{daemonId}/stop",
    body: true,
    keyed: true,
    answer: "json"
  },
  "shortcuts.send": {
    method: "POST",
    path: "/api/v1/shortcuts/{ideId}/chat",
    query: ["wait", "timeoutSeconds"],
    body: true,
    keyed: true,
    answer: "json"
  },
  "shortcuts.read": {
    method: "GET",
    path: "/api/v1/shortcuts/{ideId}/chat",
    query: ["agentType"],
    answer: "json"
  },
  "shortcuts.debug": {
    method: "GET",
    path: "/api/v1/shortcuts/{ideId}/chat/debug",
    query: ["agentType"],
    answer: "json"
  },
  "shortcuts.debugWith": {
    method: "POST",
    path: "/api/v1/shortcuts/{ideId}/chat/debug",
    body: true,
    keyed: true,
    answer: "json"
  },
  "shortcuts.approve": {
    method: "POST",
    path: "/api/v1/shortcuts/{ideId}/approve",
    body: true,
    keyed: true,
    answer: "json"
  },
  "shortcuts.interrupt": {
    method: "POST",
    path: "/api/v1/shortcuts/{ideId}/interrupt",
    body: true,
    keyed: true,
    answer: "json"
  },
  "shortcuts.status": {
    method: "GET",
    path: "/api/v1/shortcuts/{ideId}/status",
    query: ["agentType", "waitFor", "since", "timeoutSeconds"],
    answer: "json"
  },
  "approvals.list": {
    method: "GET",
    path: "/api/v1/approvals",
    query: ["state", "selector", "limit", "cursor"],
    answer: "json"
  },
  "approvals.resolve": {
    method: "POST",
    path: "/api/v1/approvals/{approvalId}",
    body: true,
    keyed: true,
    answer: "json"
  },
  "commands.list": {
    method: "GET",
    path: "/api/v1/commands",
    query: ["daemonId", "state", "limit", "cursor"],
    answer: "json"
  },
  "commands.get": {
    method: "GET",
    path: "/api/v1/commands/{commandId}",
    answer: "json"
  },
  "commands.cancel": {
    method: "POST",
    path: "/api/v1/commands/{commandId}/cancel",
    keyed: true,
    answer: "json"
  },
  "commands.output": {
    method: "GET",
    path: "/api/v1/commands/{commandId}/output",
    query: ["after", "limit"],
    answer: "json"
  },
  "commands.outputStream": {
    method: "GET",
    path: "/api/v1/commands/{commandId}/output/stream",
    query: ["after"],
    answer: "stream"
  },
  "jobs.start": {
    method: "POST",
    path: "/api/v1/jobs",
    body: true,
    keyed: true,
    answer: "json"
  },
  "jobs.list": {
    method: "GET",
    path: "/api/v1/jobs",
    query: ["state", "limit", "cursor"],
    answer: "json"
  },
  "jobs.get": {
    method: "GET",
    path: "/api/v1/jobs/{jobId}",
    answer: "json"
  },
  "jobs.targets": {
    method: "GET",
    path: "/api/v1/jobs/{jobId}/targets",
    query: ["state", "exitCode", "limit", "cursor"],
    answer: "json"
  },
  "jobs.results": {
    method: "GET",
    path: "/api/v1/jobs/{jobId}/results",
    query: ["state", "exitCode", "limit", "cursor"],
    answer: "json"
  },
  "jobs.retry": {
    method: "POST",
    path: "/api/v1/jobs/{jobId}/retry",
    body: true,
    keyed: true,
    answer: "json"
  },
  "jobs.cancel": {
    method: "POST",
    path: "/api/v1/jobs/{jobId}/cancel",
    keyed: true,
    answer: "json"
  },
  "sessions.events": {
    method: "GET",
    path: "/api/v1/daemons/{daemonId}/sessions/{sessionId}/events",
    query: ["after", "deltas", "limit"],
    answer: "json"
  },
  "sessions.stream": {
    method: "GET",
    path: "/api/v1/daemons/{daemonId}/sessions/{sessionId}/events/stream",
    query: ["after", "deltas"],
    answer: "stream"
  },
  "webhooks.list": {
    method: "GET",
    path: "/api/v1/webhooks",
    answer: "json"
  },
  "webhooks.create": {
    method: "POST",
    path: "/api/v1/webhooks",
    body: true,
    keyed: true,
    answer: "json"
  },
  "webhooks.update": {
    method: "PATCH",
    path: "/api/v1/webhooks/{webhookId}",
    body: true,
    answer: "json"
  },
  "webhooks.remove": {
    method: "DELETE",
    path: "/api/v1/webhooks/{webhookId}",
    answer: "json"
  },
  "webhooks.deliveries": {
    method: "GET",
    path: "/api/v1/webhooks/{webhookId}/deliveries",
    query: ["limit", "cursor"],
    answer: "json"
  },
  "webhooks.delivery": {
    method: "GET",
    path: "/api/v1/webhooks/{webhookId}/deliveries/{deliveryId}",
    answer: "json"
  },
  "webhooks.test": {
    method: "POST",
    path: "/api/v1/webhooks/{webhookId}/test",
    keyed: true,
    answer: "json"
  },
  "webhooks.rotateSecret": {
    method: "POST",
    path: "/api/v1/webhooks/{webhookId}/rotate-secret",
    keyed: true,
    answer: "json"
  },
  "webhooks.retry": {
    method: "POST",
    path: "/api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/retry",
    keyed: true,
    answer: "json"
  },
  "webhooks.recover": {
    method: "POST",
    path: "/api/v1/webhooks/{webhookId}/recover",
    body: true,
    keyed: true,
    answer: "json"
  },
  "events.stream": {
    method: "GET",
    path: "/api/v1/events",
    query: ["event", "daemonId", "selector"],
    answer: "stream"
  },
  "events.listenSecret": {
    method: "GET",
    path: "/api/v1/events/listen-secret",
    answer: "json"
  },
  "turn.credentials": {
    method: "GET",
    path: "/api/v1/turn/credentials",
    answer: "json"
  },
  "registry.list": {
    method: "GET",
    path: "/api/v1/registry/providers",
    query: ["channel", "limit", "cursor"],
    answer: "json"
  },
  "registry.publish": {
    method: "POST",
    path: "/api/v1/registry/providers",
    body: true,
    keyed: true,
    answer: "json"
  },
  "registry.type": {
    method: "GET",
    path: "/api/v1/registry/providers/{type}",
    query: ["channel"],
    answer: "json"
  },
  "registry.version": {
    method: "GET",
    path: "/api/v1/registry/providers/{type}/{version}",
    query: ["channel"],
    answer: "json"
  },
  "registry.yank": {
    method: "DELETE",
    path: "/api/v1/registry/providers/{type}/{version}",
    query: ["channel"],
    answer: "json"
  },
  "registry.download": {
    method: "GET",
    path: "/api/v1/registry/providers/{type}/{version}/download",
    query: ["channel"],
    answer: "bytes"
  },
  "registry.promote": {
    method: "POST",
    path: "/api/v1/registry/providers/{type}/{version}/promote",
    body: true,
    keyed: true,
    answer: "json"
  },
  "registry.restore": {
    method: "POST",
    path: "/api/v1/registry/providers/{type}/{version}/restore",
    query: ["channel"],
    keyed: true,
    answer: "json"
  },
  "adminDaemons.list": {
    method: "GET",
    path: "/api/v1/admin/daemons",
    query: ["account", "version", "online", "seenSince", "seenBefore", "closeReason", "closeCode", "identityCopied", "limit", "cursor"],
    answer: "json"
  },
  "adminDaemons.show": {
    method: "GET",
    path: "/api/v1/admin/daemons/{daemonId}",
    answer: "json"
  },
  "adminDaemons.disconnect": {
    method: "POST",
    path: "/api/v1/admin/daemons/{daemonId}/disconnect",
    keyed: true,
    answer: "json"
  }
} as const
