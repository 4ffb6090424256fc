/** The types of every schema and operation. Generated from the contract by test/contract/generated-client-sources.ts; a test compares. Not edited by hand. */

export interface components {
    schemas: {
        /** @description The data of each event of the stream */
        StreamedEvent: components["schemas"]["DaemonConnectEvent"] | components["schemas"]["DaemonDisconnectEvent"] | components["schemas"]["AgentStatusEvent"] | components["schemas"]["AgentGeneratingStartedEvent"] | components["schemas"]["AgentGeneratingCompletedEvent"] | components["schemas"]["AgentWaitingApprovalEvent"] | components["schemas"]["AgentWaitingChoiceEvent"] | components["schemas"]["AgentStoppedEvent"] | components["schemas"]["MonitorNoProgressEvent"] | components["schemas"]["CommandCompletedEvent"] | components["schemas"]["ApprovalRequestedEvent"] | components["schemas"]["ApprovalResolvedEvent"] | components["schemas"]["JobCompletedEvent"] | components["schemas"]["DaemonIdentityCopiedEvent"] | components["schemas"]["JobProgressEvent"];
        /** @description As the daemon sent it */
        LogEvent: {
            /**
             * Format: int64
             * @description Its number in its log
             */
            seq: number;
            /** @description `message`, `tool_call`, … of a session, `output` or `exit` of a command, or what a newer daemon has */
            type: string;
            /** @description Epoch milliseconds, on the daemon's clock */
            timestamp: number;
        } & {
            [key: string]: unknown;
        };
        DaemonConnectEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "daemon:connect";
            payload: components["schemas"]["DaemonConnectPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        DaemonDisconnectEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "daemon:disconnect";
            payload: components["schemas"]["DaemonDisconnectPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        AgentStatusEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "agent:status";
            payload: components["schemas"]["AgentStatusPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        AgentGeneratingStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "agent:generating_started";
            payload: components["schemas"]["AgentGeneratingStartedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        AgentGeneratingCompletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "agent:generating_completed";
            payload: components["schemas"]["AgentGeneratingCompletedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        AgentWaitingApprovalEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "agent:waiting_approval";
            payload: components["schemas"]["AgentWaitingApprovalPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        AgentWaitingChoiceEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "agent:waiting_choice";
            payload: components["schemas"]["AgentWaitingChoicePayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        AgentStoppedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "agent:stopped";
            payload: components["schemas"]["AgentStoppedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        MonitorNoProgressEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "monitor:no_progress";
            payload: components["schemas"]["MonitorNoProgressPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        CommandCompletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "command:completed";
            payload: components["schemas"]["CommandCompletedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        ApprovalRequestedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "approval:requested";
            payload: components["schemas"]["ApprovalRequestedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        ApprovalResolvedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "approval:resolved";
            payload: components["schemas"]["ApprovalResolvedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        JobCompletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "job:completed";
            payload: components["schemas"]["JobCompletedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        DaemonIdentityCopiedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "daemon:identity_copied";
            payload: components["schemas"]["DaemonIdentityCopiedPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        JobProgressEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "job:progress";
            payload: components["schemas"]["JobProgressPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        WebhookTestEvent: {
            /** @enum {string} */
            event: "webhook:test";
            payload: components["schemas"]["WebhookTestPayload"];
            /**
             * Format: int64
             * @description Epoch milliseconds: when this body was built
             */
            timestamp: number;
        };
        WebhookTestPayload: {
            webhookId: string;
            message: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
        };
        JobProgressPayload: {
            jobId: string;
            type: string;
            /** @enum {string} */
            state: "running" | "completed" | "aborted" | "cancelled" | "expired";
            /** Format: int64 */
            targets: number;
            counts: components["schemas"]["TargetCounts"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
        };
        /** @description How many targets are in each state */
        TargetCounts: {
            /** Format: int64 */
            waiting: number;
            /** Format: int64 */
            running: number;
            /** Format: int64 */
            succeeded: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            cancelled: number;
            /** Format: int64 */
            timed_out: number;
            /** Format: int64 */
            lost: number;
            /** Format: int64 */
            expired: number;
            /** Format: int64 */
            skipped: number;
        };
        DaemonIdentityCopiedPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            hostname: string;
            nickname: string;
            platform: string;
            version: string;
            /** @description Of the machine that was connected */
            formerHostname: string;
        };
        JobCompletedPayload: {
            jobId: string;
            type: string;
            /** @enum {string} */
            state: "running" | "completed" | "aborted" | "cancelled" | "expired";
            /** Format: int64 */
            targets: number;
            counts: components["schemas"]["TargetCounts"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
        };
        ApprovalResolvedPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            targetSessionId?: string;
            promptId?: string;
            providerType?: string;
            /** @description Absent: a policy decided, and it was never shown */
            approvalId?: string;
            /**
             * @description `daemon`: on the machine, or the agent withdrew it
             * @enum {string}
             */
            by: "person" | "key" | "policy" | "daemon";
            decision?: string;
            /** @description Of a policy: its id and the number of the rule */
            rule?: string;
            /**
             * Format: int64
             * @description Decisions of a policy alike; this tells of the last
             */
            count: number;
        };
        ApprovalRequestedPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            targetSessionId?: string;
            promptId?: string;
            providerType?: string;
            /** @description For `POST /api/v1/approvals/{approvalId}` */
            approvalId: string;
            /** @description The question's text, at most 2 KiB */
            title: string;
            /** @description What it asks for, as rules of policies name it */
            subject?: {
                action: string;
                resource: string;
            };
            workspaceName?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            requestedAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt?: number;
        };
        CommandCompletedPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            commandId: string;
            type: string;
            /** @enum {string} */
            state: "succeeded" | "failed" | "cancelled" | "timed_out" | "lost";
            /**
             * Format: int64
             * @description From its acceptance to this end
             */
            durationMs: number;
        };
        MonitorNoProgressPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            /** @enum {string} */
            event: "monitor:no_progress";
            /** @description When the event is about one session */
            targetSessionId?: string;
            providerType?: string;
            providerSessionId?: string;
            /** @description The directory of a CLI or ACP agent, or the workspace */
            workspaceName?: string;
            surfaceHidden?: boolean;
            muted?: boolean;
            /**
             * Format: int64
             * @description Seconds without visible progress
             */
            elapsedSec?: number;
        };
        AgentStoppedPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            /** @enum {string} */
            event: "agent:stopped";
            /** @description When the event is about one session */
            targetSessionId?: string;
            providerType?: string;
            providerSessionId?: string;
            /** @description The directory of a CLI or ACP agent, or the workspace */
            workspaceName?: string;
            surfaceHidden?: boolean;
            muted?: boolean;
        };
        AgentWaitingChoicePayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            /** @enum {string} */
            event: "agent:waiting_choice";
            /** @description When the event is about one session */
            targetSessionId?: string;
            providerType?: string;
            providerSessionId?: string;
            /** @description The directory of a CLI or ACP agent, or the workspace */
            workspaceName?: string;
            surfaceHidden?: boolean;
            muted?: boolean;
            /** @description Names the prompt; give it with the approval */
            promptId?: string;
            /** @description The prompt's text, at most 2 KiB */
            modalMessage?: string;
            modalButtons?: string[];
        };
        AgentWaitingApprovalPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            /** @enum {string} */
            event: "agent:waiting_approval";
            /** @description When the event is about one session */
            targetSessionId?: string;
            providerType?: string;
            providerSessionId?: string;
            /** @description The directory of a CLI or ACP agent, or the workspace */
            workspaceName?: string;
            surfaceHidden?: boolean;
            muted?: boolean;
            /** @description Names the prompt; give it with the approval */
            promptId?: string;
            /** @description The prompt's text, at most 2 KiB */
            modalMessage?: string;
            modalButtons?: string[];
        };
        AgentGeneratingCompletedPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            /** @enum {string} */
            event: "agent:generating_completed";
            /** @description When the event is about one session */
            targetSessionId?: string;
            providerType?: string;
            providerSessionId?: string;
            /** @description The directory of a CLI or ACP agent, or the workspace */
            workspaceName?: string;
            surfaceHidden?: boolean;
            muted?: boolean;
            /**
             * Format: int64
             * @description Whole seconds
             */
            duration?: number;
        };
        AgentGeneratingStartedPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            /** @enum {string} */
            event: "agent:generating_started";
            /** @description When the event is about one session */
            targetSessionId?: string;
            providerType?: string;
            providerSessionId?: string;
            /** @description The directory of a CLI or ACP agent, or the workspace */
            workspaceName?: string;
            surfaceHidden?: boolean;
            muted?: boolean;
        };
        AgentStatusPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            agents: components["schemas"]["AgentChange"][];
        };
        AgentChange: {
            targetSessionId: string;
            providerType: string;
            workspaceName?: string;
            status: components["schemas"]["AgentState"];
            previousStatus: components["schemas"]["AgentState"];
            /**
             * @description It is gone: its last status is `idle`
             * @enum {boolean}
             */
            ended?: true;
        };
        /** @enum {string} */
        AgentState: "idle" | "generating" | "waiting_approval" | "error";
        DaemonDisconnectPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            hostname: string;
            nickname: string;
            platform: string;
            version: string;
            /** @enum {string} */
            reason: "closed" | "timeout" | "replaced" | "disconnected" | "revoked";
            /** Format: int64 */
            connectedMs: number;
        };
        DaemonConnectPayload: {
            daemonId: string;
            /** @enum {string} */
            daemonType: "service-daemon";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            timestamp: number;
            hostname: string;
            nickname: string;
            platform: string;
            version: string;
        };
        /** @description There is nothing here. */
        NotFoundProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "NOT_FOUND";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description This call was run and is not run again. Its answer was not kept: the account had too much kept then. */
        OutcomeNotKeptProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "OUTCOME_NOT_KEPT";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Of the first answer to this Idempotency-Key
             */
            status: number;
        };
        /** @description This Idempotency-Key was used with another request. */
        IdempotencyMismatchProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "IDEMPOTENCY_MISMATCH";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description A call with this Idempotency-Key is still running. */
        IdempotencyConflictProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "IDEMPOTENCY_CONFLICT";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        /** @description The node that ran this call ended in mid-work. What came of it is not known, and it is not run again. */
        OutcomeUnknownProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "INTERNAL";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description Too much is waiting already. Try again shortly. */
        OverloadedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "OVERLOADED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        /** @description The request does not fit what this call takes. */
        ValidationFailedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "VALIDATION_FAILED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** @description What does not fit, and where */
            issues: {
                path: string;
                message: string;
            }[];
        };
        /** @description This call needs a dashboard session with a recent login. */
        RecentLoginRequiredProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            code: "RECENT_LOGIN_REQUIRED";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "RECENT_LOGIN_REQUIRED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Seconds: how old a login may be
             */
            maxAge: number;
            /**
             * Format: int64
             * @description Seconds: how old this one is, when known
             */
            authAge?: number;
        };
        /** @description Your role in this account is too low for that. */
        RoleTooLowProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "ROLE_TOO_LOW";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** @enum {string} */
            requiredRole: "viewer" | "operator" | "admin" | "owner";
        };
        /** @description This credential may not do that. */
        AuthForbiddenProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            code: "AUTH_FORBIDDEN";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "AUTH_FORBIDDEN";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            requiredScope?: string;
        };
        /** @description The credential is invalid or expired. */
        AuthInvalidProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "AUTH_INVALID";
            /** @enum {string} */
            reason: "AUTH_INVALID";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** @description What does not fit, and where */
            issues?: {
                path: string;
                message: string;
            }[];
        };
        /** @description This call needs an Authorization header with a bearer credential. */
        AuthRequiredProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "AUTH_REQUIRED";
            /** @enum {string} */
            reason: "AUTH_REQUIRED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description Something went wrong on our side. */
        StoreFailedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "INTERNAL";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description The plan keeps no further outcome. This call was not run; without an Idempotency-Key it would be. */
        IdempotencyLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "IDEMPOTENCY_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        /** @description Too many requests in a short time. */
        RateLimitedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "RATE_LIMITED";
            /** @enum {string} */
            reason: "RATE_LIMITED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        AdminDisconnected: {
            /** @enum {boolean} */
            success: true;
            wasConnected: boolean;
        };
        AdminDaemonRecord: {
            id: string;
            account: components["schemas"]["DaemonAccount"];
            hostname: string;
            nickname: string;
            platform: string;
            /** @description As the daemon reported it */
            version: string;
            /** @description Connected now, or lost less than the grace ago */
            online: boolean;
            /** @description The node that holds it; null while it is offline */
            node: string | null;
            revoked: boolean;
            connectedAt: number | null;
            /** @description Of one that is online: as of its last change */
            lastSeenAt: number | null;
            /** @description When its last time online ended */
            lastEndedAt: number | null;
            /** @description Why it ended; `disabled`: its account was. null: it never did, or before this was noted */
            lastEndReason: ("closed" | "timeout" | "disconnected" | "revoked" | "disabled") | null;
            /** @description The code that its last connection closed with; null where none is known, as when its node died */
            lastCloseCode: number | null;
            /** @description Its last connection was of another machine than the one whose place it took: two may have one token */
            identityCopied: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description How many connections it has had
             */
            epoch: number;
            /**
             * Format: int64
             * @description Its tokens that are good
             */
            tokens: number;
            /** @description When it last reported what follows */
            observedAt: number | null;
            /**
             * Format: int64
             * @description How many sessions it reported
             */
            sessions: number;
            /** @description What it sent that did not fit and was dropped */
            problems: components["schemas"]["DaemonMisfit"][];
        };
        DaemonMisfit: {
            at: string;
            reason: string;
        };
        DaemonAccount: {
            id: string;
            email: string;
            disabled: boolean;
        };
        AdminDaemonList: {
            daemons: components["schemas"]["AdminDaemon"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        AdminDaemon: {
            id: string;
            account: components["schemas"]["DaemonAccount"];
            hostname: string;
            nickname: string;
            platform: string;
            /** @description As the daemon reported it */
            version: string;
            /** @description Connected now, or lost less than the grace ago */
            online: boolean;
            /** @description The node that holds it; null while it is offline */
            node: string | null;
            revoked: boolean;
            connectedAt: number | null;
            /** @description Of one that is online: as of its last change */
            lastSeenAt: number | null;
            /** @description When its last time online ended */
            lastEndedAt: number | null;
            /** @description Why it ended; `disabled`: its account was. null: it never did, or before this was noted */
            lastEndReason: ("closed" | "timeout" | "disconnected" | "revoked" | "disabled") | null;
            /** @description The code that its last connection closed with; null where none is known, as when its node died */
            lastCloseCode: number | null;
            /** @description Its last connection was of another machine than the one whose place it took: two may have one token */
            identityCopied: boolean;
        };
        /** @description The plan's calls of this month are used up. */
        ApiLimitExceededProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "API_LIMIT_EXCEEDED";
            /** @enum {string} */
            reason: "API_LIMIT_EXCEEDED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        Restored: {
            type: string;
            version: string;
            /** @enum {string} */
            channel: "stable" | "preview";
            category: string | null;
            name: string | null;
            displayName: string | null;
            description: string | null;
            manifest: unknown;
            /** @description `sha256:` and the artifact's digest in hex */
            digest: string;
            /** Format: int64 */
            size: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            publishedAt: number;
            publishedBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            promotedAt?: number;
            yanked: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            yankedAt?: number;
            /** Format: int64 */
            downloads: number;
            /** @enum {boolean} */
            success: true;
        };
        Yanked: {
            type: string;
            version: string;
            /** @enum {string} */
            channel: "stable" | "preview";
            category: string | null;
            name: string | null;
            displayName: string | null;
            description: string | null;
            manifest: unknown;
            /** @description `sha256:` and the artifact's digest in hex */
            digest: string;
            /** Format: int64 */
            size: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            publishedAt: number;
            publishedBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            promotedAt?: number;
            yanked: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            yankedAt?: number;
            /** Format: int64 */
            downloads: number;
            /** @enum {boolean} */
            success: true;
        };
        /** @description This version was yanked. */
        VersionYankedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "VERSION_YANKED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description What was sent is larger than this call takes. */
        PayloadTooLargeProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "PAYLOAD_TOO_LARGE";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Bytes
             */
            limit: number;
        };
        Promoted: {
            type: string;
            version: string;
            /** @enum {string} */
            channel: "stable" | "preview";
            category: string | null;
            name: string | null;
            displayName: string | null;
            description: string | null;
            manifest: unknown;
            /** @description `sha256:` and the artifact's digest in hex */
            digest: string;
            /** Format: int64 */
            size: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            publishedAt: number;
            publishedBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            promotedAt?: number;
            yanked: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            yankedAt?: number;
            /** Format: int64 */
            downloads: number;
            /** @enum {string} */
            status: "promoted" | "already_promoted";
        };
        /** @description Nothing: the bytes are those of the preview version */
        Promotion: Record<string, never>;
        /** @description This version was published with other bytes. */
        VersionExistsProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "VERSION_EXISTS";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        Published: {
            type: string;
            version: string;
            /** @enum {string} */
            channel: "stable" | "preview";
            category: string | null;
            name: string | null;
            displayName: string | null;
            description: string | null;
            manifest: unknown;
            /** @description `sha256:` and the artifact's digest in hex */
            digest: string;
            /** Format: int64 */
            size: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            publishedAt: number;
            publishedBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            promotedAt?: number;
            yanked: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            yankedAt?: number;
            /** Format: int64 */
            downloads: number;
            /** @enum {string} */
            status: "published" | "already_published";
        };
        Publication: {
            type: string;
            version: string;
            /** @enum {string} */
            channel: "preview";
            category?: string | null;
            name?: string | null;
            displayName?: string | null;
            description?: string | null;
            manifest?: {
                [key: string]: unknown;
            } | null;
            /** @description The package's bytes in base64 */
            artifact?: string | null;
        };
        /** @description The range lies outside the content. */
        RangeNotSatisfiableProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "RANGE_NOT_SATISFIABLE";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        Package: {
            type: string;
            version: string;
            /** @enum {string} */
            channel: "stable" | "preview";
            category: string | null;
            name: string | null;
            displayName: string | null;
            description: string | null;
            manifest: unknown;
            /** @description `sha256:` and the artifact's digest in hex */
            digest: string;
            /** Format: int64 */
            size: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            publishedAt: number;
            publishedBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            promotedAt?: number;
            yanked: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            yankedAt?: number;
            /** Format: int64 */
            downloads: number;
        };
        PackageVersions: {
            /** @enum {string} */
            channel: "stable" | "preview";
            type: string;
            latest: string | null;
            versions: components["schemas"]["Package"][];
        };
        PackageList: {
            /** @enum {string} */
            channel: "stable" | "preview";
            providers: components["schemas"]["Package"][];
            nextCursor?: string;
        };
        /** @description The access token has expired. */
        TokenExpiredProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "TOKEN_EXPIRED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        TurnCredentials: {
            iceServers: components["schemas"]["IceServer"][];
            /** @description false: STUN only */
            turn: boolean;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
            cached: boolean;
            /**
             * Format: int64
             * @description Seconds until `expiresAt`
             */
            ttl: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
        };
        IceServer: {
            urls: string[];
            username?: string;
            credential?: string;
        };
        ListenSecret: {
            /** @description In the form of a webhook's secret; the same at each call */
            secret: string;
        };
        Recovered: {
            /** @enum {boolean} */
            success: true;
            /** Format: int64 */
            recovered: number;
        };
        Recovery: {
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            since: number;
        };
        RetriedDelivery: {
            /** @enum {boolean} */
            success: true;
            deliveryId: string;
            /** @enum {string} */
            status: "pending";
        };
        RotatedWebhook: {
            id: string;
            url: string;
            /** @description What is subscribed; other names were dropped */
            events: string[];
            /** @description What is subscribed beside that, by name */
            additionalEvents: string[];
            active: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updatedAt: number;
            /**
             * @description failing: ten failures in a row of the endpoint; deliveries are parked and one is tried each minute
             * @enum {string}
             */
            health: "ok" | "failing";
            lastDeliveryAt: number | null;
            lastStatusCode: number | null;
            /**
             * Format: int64
             * @description Events that were not queued for it, as its account had as much pending as its plan allows
             */
            droppedDeliveries: number;
            /** @description When the last of them came */
            lastDroppedAt: number | null;
            /** @description The daemons whose events it gets, by their tags; null: all of the account */
            selector: string | null;
            /** @description Shown once */
            secret?: string;
            /**
             * Format: int64
             * @description Until then the old secret signs beside the new one
             */
            previousSecretUntil: number;
        };
        TestedWebhook: {
            success: boolean;
            delivery: components["schemas"]["Delivery"];
        };
        Delivery: {
            id: string;
            /** @description The same over all attempts; X-Service-Delivery */
            deliveryId: string;
            event: string;
            /** Format: int64 */
            attempt: number;
            /** Format: int64 */
            maxAttempts: number;
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed" | "expired" | "cancelled";
            willRetry: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            nextAttemptAt?: number;
            statusCode: number | null;
            /** @enum {string} */
            error?: "timeout" | "dns" | "connect" | "tls" | "blocked_address" | "redirect";
            /** @description More of a failure to connect, where it is known: refused, unreachable, closed, unknown issuer, … */
            errorDetail?: string;
            /** @description 16 KiB at most; empty and truncated where the account has no room */
            responseBody: string | null;
            responseTruncated: boolean;
            durationMs: number | null;
            /** @description null when no request was made */
            requestedAt: number | null;
        };
        DeliveryRequest: {
            deliveryId: string;
            event: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            url: string;
            /** @description As of an attempt made now, by the webhook's present secret */
            headers: {
                [key: string]: string;
            };
            /** @description The same bytes in each attempt: what the signature is made over */
            body: string;
        };
        DeliveryList: {
            deliveries: components["schemas"]["Delivery"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        RemovedWebhook: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        ChangedWebhook: {
            id: string;
            url: string;
            /** @description What is subscribed; other names were dropped */
            events: string[];
            /** @description What is subscribed beside that, by name */
            additionalEvents: string[];
            active: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updatedAt: number;
            /**
             * @description failing: ten failures in a row of the endpoint; deliveries are parked and one is tried each minute
             * @enum {string}
             */
            health: "ok" | "failing";
            lastDeliveryAt: number | null;
            lastStatusCode: number | null;
            /**
             * Format: int64
             * @description Events that were not queued for it, as its account had as much pending as its plan allows
             */
            droppedDeliveries: number;
            /** @description When the last of them came */
            lastDroppedAt: number | null;
            /** @description The daemons whose events it gets, by their tags; null: all of the account */
            selector: string | null;
            /** @description What was taken but is hardly meant: names that were dropped, and why; that nothing is subscribed */
            warnings?: string[];
        };
        /** @description At least one member */
        WebhookChange: {
            /** @description false cancels what is pending */
            active?: boolean | null;
            /** @description Attempts that begin from now on go there, those of pending deliveries too */
            url?: string | null;
            /** @description In place of those before; what is pending stays */
            events?: string[] | null;
            /** @description Likewise */
            additionalEvents?: ("agent:generating_started" | "agent:generating_completed" | "agent:waiting_approval" | "agent:waiting_choice" | "agent:stopped" | "monitor:no_progress" | "webhook:test" | "command:completed" | "job:completed" | "approval:requested" | "approval:resolved" | "daemon:identity_copied")[] | null;
            /** @description In place of the one before, for later events; an empty text takes it away: all daemons. null leaves it as it is */
            selector?: string | null;
        };
        /** @description The plan allows no further webhook. */
        WebhookLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "WEBHOOK_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
        };
        CreatedWebhook: {
            id: string;
            url: string;
            /** @description What is subscribed; other names were dropped */
            events: string[];
            /** @description What is subscribed beside that, by name */
            additionalEvents: string[];
            active: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updatedAt: number;
            /**
             * @description failing: ten failures in a row of the endpoint; deliveries are parked and one is tried each minute
             * @enum {string}
             */
            health: "ok" | "failing";
            lastDeliveryAt: number | null;
            lastStatusCode: number | null;
            /**
             * Format: int64
             * @description Events that were not queued for it, as its account had as much pending as its plan allows
             */
            droppedDeliveries: number;
            /** @description When the last of them came */
            lastDroppedAt: number | null;
            /** @description The daemons whose events it gets, by their tags; null: all of the account */
            selector: string | null;
            /** @description What was taken but is hardly meant: names that were dropped, and why; that nothing is subscribed */
            warnings?: string[];
            /** @description Shown once */
            secret?: string;
        };
        NewWebhook: {
            url: string;
            /** @description Of `daemon:connect`, `daemon:disconnect`, `agent:status`, `agent:approve_request` and `*`; other names are dropped, with a warning */
            events: string[];
            /** @description What `events` has no name for; `*` has those of agents, not those of commands and jobs */
            additionalEvents?: ("agent:generating_started" | "agent:generating_completed" | "agent:waiting_approval" | "agent:waiting_choice" | "agent:stopped" | "monitor:no_progress" | "webhook:test" | "command:completed" | "job:completed" | "approval:requested" | "approval:resolved" | "daemon:identity_copied")[] | null;
            /** @description Only events of daemons with these tags, such as `env=prod,gpu` */
            selector?: string | "" | null;
        };
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        Webhook: {
            id: string;
            url: string;
            /** @description What is subscribed; other names were dropped */
            events: string[];
            /** @description What is subscribed beside that, by name */
            additionalEvents: string[];
            active: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updatedAt: number;
            /**
             * @description failing: ten failures in a row of the endpoint; deliveries are parked and one is tried each minute
             * @enum {string}
             */
            health: "ok" | "failing";
            lastDeliveryAt: number | null;
            lastStatusCode: number | null;
            /**
             * Format: int64
             * @description Events that were not queued for it, as its account had as much pending as its plan allows
             */
            droppedDeliveries: number;
            /** @description When the last of them came */
            lastDroppedAt: number | null;
            /** @description The daemons whose events it gets, by their tags; null: all of the account */
            selector: string | null;
        };
        /** @description The daemon does not have this feature. A newer one may. */
        DaemonLacksFeatureProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "DAEMON_LACKS_FEATURE";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            feature: string;
        };
        /** @description The daemon is offline. */
        DaemonOfflineProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "DAEMON_OFFLINE";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description The daemon did not answer the command in time. */
        CommandTimeoutProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "COMMAND_TIMEOUT";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** @description The command, where it was accepted */
            commandId?: string;
        };
        /** @description The daemon's connection is interrupted. */
        DaemonSocketLostProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "DAEMON_SOCKET_LOST";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
            /** @description The command, where it was accepted */
            commandId?: string;
        };
        LogPage: {
            /** @description Oldest first */
            events: components["schemas"]["LogEvent"][];
            /** @description The `after` of what follows, here or of the stream */
            next: string;
            /** @description There is more to read at once */
            more: boolean;
            /** @description Something behind `after` is not to be had any more */
            gap: boolean;
            /**
             * Format: int64
             * @description The number of the oldest event that is kept
             */
            firstSeq: number;
            /**
             * Format: int64
             * @description The number of the newest event
             */
            lastSeq: number;
        };
        Job: {
            jobId: string;
            type: string;
            state: components["schemas"]["JobState"];
            /** @description Why nothing more is sent: the state in which it ends once its commands have */
            stop: ("aborted" | "cancelled" | "expired") | null;
            /** Format: int64 */
            targets: number;
            /** Format: int64 */
            timeoutSeconds: number;
            rollout: components["schemas"]["JobRollout"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
            finishedAt: number | null;
            name: string | null;
            /** @description The API key, the connected app or the session that started it */
            createdBy: components["schemas"]["JobMaker"] | null;
            /** @description The job whose failed targets it tries again */
            retryOf: string | null;
            /** @description Of `all`: daemons that are none of its targets, as they never connected, or not within 30 days */
            leftOut: components["schemas"]["JobLeftOut"] | null;
            counts: components["schemas"]["TargetCounts"];
        };
        JobLeftOut: {
            /** Format: int64 */
            neverConnected: number;
            /** Format: int64 */
            away: number;
        };
        JobMaker: {
            /** @enum {string} */
            kind: "key" | "grant" | "session";
            id: string;
        };
        JobRollout: {
            perMinute: number | null;
            /** Format: int64 */
            concurrency: number;
            abortAfterFailures: number | null;
            successExitCodes: number[];
            steps: components["schemas"]["JobStep"][];
        };
        JobStep: {
            count: number | null;
            percent: number | null;
            /** Format: int64 */
            holdMinutes: number;
        };
        /** @enum {string} */
        JobState: "running" | "completed" | "aborted" | "cancelled" | "expired";
        /** @description The account has too many jobs under way or kept, or too many targets of them. Nothing was sent. */
        JobLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "JOB_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /**
             * @description What there is no room for: jobs under way, jobs kept, or daemons of all of them
             * @enum {string}
             */
            of: "under way" | "kept" | "targets";
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        JobRetryAsked: {
            /** @description What it is for, at most 100 characters of one line */
            name?: string | null;
            /** @description Instead of the job's own, which is kept while it runs and where targets failed; of `send_chat` it must be given once the job has ended */
            payload?: {
                [key: string]: unknown;
            } | null;
            /** @description Absent: as before */
            timeoutSeconds?: number | null;
            /** @description Absent: as before */
            rollout?: {
                /** @description Commands sent per minute; absent: as fast as `concurrency` allows */
                perMinute?: number | null;
                /** @description Commands under way at once; absent: 100 */
                concurrency?: number | null;
                /** @description After so many targets that `failed`, `timed_out` or were `lost` nothing more is sent, and the rest is `skipped` */
                abortAfterFailures?: number | null;
                /** @description Exit codes of `terminal_exec` that are no failure, at most 32; absent: 0. With any other the target has `failed` */
                successExitCodes?: number[] | null;
                /** @description Some targets first, at most 10 steps, each beyond the one before; behind the last all others go */
                steps?: {
                    /** @description Until so many targets were sent in all; or `percent` */
                    count?: number | null;
                    /** @description Of all targets */
                    percent?: number | null;
                    /** @description How long nothing is sent once all of them have ended; absent: 0 */
                    holdMinutes?: number | null;
                }[] | null;
            } | null;
            /** @description Epoch milliseconds: targets that are offline until then end as `expired`; absent: a day, at most seven days */
            expiresAt?: number | null;
        };
        JobResultList: {
            results: components["schemas"]["JobResult"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        JobResult: {
            daemonId: string;
            state: components["schemas"]["JobTargetState"];
            /** @description Once it was sent; its result is under this id */
            commandId: string | null;
            /** @description Why it failed */
            error?: string;
            finishedAt: number | null;
            /** @description Of a terminal command that ended; null where its daemon did not say. Of one that a signal ended: 128 and its number */
            exitCode?: number | null;
            output?: components["schemas"]["OutputEnds"];
            result?: unknown;
            /**
             * @description Why a result that came is not here
             * @enum {string}
             */
            resultOmitted?: "RESULT_TOO_LARGE" | "RESULT_NOT_KEPT";
        };
        /** @description What it wrote, standard output first: the beginning and the end, each of 500 characters at most, without sequences for terminals */
        OutputEnds: {
            head: string;
            tail: string;
        };
        /** @enum {string} */
        JobTargetState: "waiting" | "running" | "succeeded" | "failed" | "cancelled" | "timed_out" | "lost" | "expired" | "skipped";
        JobTargetList: {
            targets: components["schemas"]["JobTarget"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        JobTarget: {
            daemonId: string;
            state: components["schemas"]["JobTargetState"];
            /** @description Once it was sent; its result is under this id */
            commandId: string | null;
            /** @description Why it failed */
            error?: string;
            finishedAt: number | null;
            /** @description Of a terminal command that ended; null where its daemon did not say. Of one that a signal ended: 128 and its number */
            exitCode?: number | null;
            output?: components["schemas"]["OutputEnds"];
        };
        JobList: {
            jobs: components["schemas"]["JobRecord"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        JobRecord: {
            jobId: string;
            type: string;
            state: components["schemas"]["JobState"];
            /** @description Why nothing more is sent: the state in which it ends once its commands have */
            stop: ("aborted" | "cancelled" | "expired") | null;
            /** Format: int64 */
            targets: number;
            /** Format: int64 */
            timeoutSeconds: number;
            rollout: components["schemas"]["JobRollout"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
            finishedAt: number | null;
            name: string | null;
            /** @description The API key, the connected app or the session that started it */
            createdBy: components["schemas"]["JobMaker"] | null;
            /** @description The job whose failed targets it tries again */
            retryOf: string | null;
            /** @description Of `all`: daemons that are none of its targets, as they never connected, or not within 30 days */
            leftOut: components["schemas"]["JobLeftOut"] | null;
        };
        JobAsked: {
            /** @description What it is for, at most 100 characters of one line */
            name?: string | null;
            /** @description Daemons of this account, at most 10000; or `all`, or `selector` */
            daemonIds?: string[] | null;
            /** @description True: all daemons of this account that were connected within 30 days, revoked ones apart, at most 100000; `leftOut` counts the others */
            all?: boolean | null;
            /** @description Those daemons of this account whose tags it means (`env=prod,gpu`), revoked ones apart, at most 100000 */
            selector?: string | null;
            /** @enum {string} */
            type: "terminal_exec" | "send_chat" | "resolve_action" | "screenshot" | "launch_ide" | "launch_cli" | "stop_cli";
            /** @description As of a single command of this type; of `terminal_exec`: `{command, name?, cwd?}` */
            payload?: {
                [key: string]: unknown;
            } | null;
            /** @description How long each command may take; absent: 3600 */
            timeoutSeconds?: number | null;
            /** @description How fast commands are sent, and when the rest is given up */
            rollout?: {
                /** @description Commands sent per minute; absent: as fast as `concurrency` allows */
                perMinute?: number | null;
                /** @description Commands under way at once; absent: 100 */
                concurrency?: number | null;
                /** @description After so many targets that `failed`, `timed_out` or were `lost` nothing more is sent, and the rest is `skipped` */
                abortAfterFailures?: number | null;
                /** @description Exit codes of `terminal_exec` that are no failure, at most 32; absent: 0. With any other the target has `failed` */
                successExitCodes?: number[] | null;
                /** @description Some targets first, at most 10 steps, each beyond the one before; behind the last all others go */
                steps?: {
                    /** @description Until so many targets were sent in all; or `percent` */
                    count?: number | null;
                    /** @description Of all targets */
                    percent?: number | null;
                    /** @description How long nothing is sent once all of them have ended; absent: 0 */
                    holdMinutes?: number | null;
                }[] | null;
            } | null;
            /** @description Epoch milliseconds: targets that are offline until then end as `expired`; absent: a day, at most seven days */
            expiresAt?: number | null;
        };
        /** @description The command runs, and its daemon cannot end one that runs. */
        CommandNotCancellableProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "COMMAND_NOT_CANCELLABLE";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        CommandRecord: {
            /** @description Of a terminal command that ended; null where its daemon did not say. Of one that a signal ended: 128 and its number */
            exitCode?: number | null;
            output?: components["schemas"]["OutputEnds"];
            /** @description What a terminal command ran, where the operator has it kept: its first word, or its text */
            command?: string;
            commandId: string;
            daemonId: string;
            type: string;
            state: components["schemas"]["CommandState"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds: without a result it is `timed_out` soon after
             */
            deadlineAt: number;
            cancelRequestedAt: number | null;
            finishedAt: number | null;
            /** @description From its acceptance to its end */
            durationMs: number | null;
            /** @description The daemon's own words */
            error?: string;
            /** @description The daemon's own code */
            daemonCode?: string;
            /**
             * @description Why a result that came is not here: it has more than 2097152 bytes, or the account keeps as many as its plan allows
             * @enum {string}
             */
            resultOmitted?: "RESULT_TOO_LARGE" | "RESULT_NOT_KEPT";
        };
        /** @enum {string} */
        CommandState: "pending" | "succeeded" | "failed" | "cancelled" | "timed_out" | "lost";
        EndedCommand: {
            /** @description Of a terminal command that ended; null where its daemon did not say. Of one that a signal ended: 128 and its number */
            exitCode?: number | null;
            output?: components["schemas"]["OutputEnds"];
            /** @description What a terminal command ran, where the operator has it kept: its first word, or its text */
            command?: string;
            commandId: string;
            daemonId: string;
            type: string;
            state: components["schemas"]["CommandState"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds: without a result it is `timed_out` soon after
             */
            deadlineAt: number;
            cancelRequestedAt: number | null;
            finishedAt: number | null;
            /** @description From its acceptance to its end */
            durationMs: number | null;
            /** @description The daemon's own words */
            error?: string;
            /** @description The daemon's own code */
            daemonCode?: string;
            /**
             * @description Why a result that came is not here: it has more than 2097152 bytes, or the account keeps as many as its plan allows
             * @enum {string}
             */
            resultOmitted?: "RESULT_TOO_LARGE" | "RESULT_NOT_KEPT";
            /** @description What goes on all the same */
            warnings?: string[];
        };
        StoredCommand: {
            /** @description Of a terminal command that ended; null where its daemon did not say. Of one that a signal ended: 128 and its number */
            exitCode?: number | null;
            output?: components["schemas"]["OutputEnds"];
            /** @description What a terminal command ran, where the operator has it kept: its first word, or its text */
            command?: string;
            commandId: string;
            daemonId: string;
            type: string;
            state: components["schemas"]["CommandState"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds: without a result it is `timed_out` soon after
             */
            deadlineAt: number;
            cancelRequestedAt: number | null;
            finishedAt: number | null;
            /** @description From its acceptance to its end */
            durationMs: number | null;
            /** @description The daemon's own words */
            error?: string;
            /** @description The daemon's own code */
            daemonCode?: string;
            /**
             * @description Why a result that came is not here: it has more than 2097152 bytes, or the account keeps as many as its plan allows
             * @enum {string}
             */
            resultOmitted?: "RESULT_TOO_LARGE" | "RESULT_NOT_KEPT";
            result?: unknown;
        };
        CommandList: {
            commands: components["schemas"]["CommandRecord"][];
            /** @description Absent on the last page; one before it may be shorter than was asked for, where a filter lets few pass */
            nextCursor?: string;
        };
        /** @description The question is answered already. */
        AlreadyResolvedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "ALREADY_RESOLVED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** @description Who answered: a person, a key or an app, a policy, or the daemon itself; null: not known */
            by: {
                /** @enum {string} */
                kind: "person" | "key" | "policy" | "daemon";
                id?: string;
            } | null;
            decision: string | null;
            rule: string | null;
        };
        /** @description Another prompt waits by now than the one named, and nothing was resolved. Read the status and decide again. */
        PromptChangedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "PROMPT_CHANGED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        ApprovalAnswered: components["schemas"]["ResolvedApproval"] | components["schemas"]["Refusal"];
        /** @description The daemon refused; this is not a fault of the hub */
        Refusal: {
            /** @enum {boolean} */
            success: false;
            /** @description The daemon's own words */
            error: string;
            /** @description The daemon's own code */
            daemonCode?: string;
            /** @description Of a terminal command that was ended, where the daemon says so: what it had printed */
            result?: {
                exitCode: number | null;
                stdout: string;
                stderr: string;
                durationMs: number | null;
                /** @description Output is cut to 1 MiB, both streams together */
                truncated: boolean;
            };
            /** @description Names the command in logs, on both sides */
            commandId: string;
            /** @description From acceptance to the daemon's answer */
            durationMs: number;
        };
        ResolvedApproval: {
            /** @enum {boolean} */
            success: true;
            approvalId: string;
            decision: string;
            /** @description Names the command in logs, on both sides */
            commandId: string;
            /** @description From acceptance to the daemon's answer */
            durationMs: number;
        };
        ApprovalAnswer: {
            /** @description This, or `optionId`. `always` is passed on: an agent that offers no such choice refuses it */
            decision?: ("approve" | "reject" | "always") | null;
            /** @description One of the question's `options` */
            optionId?: string | null;
            /** @description The question that was seen; the id of the approval says the same */
            promptId?: string | null;
            /** @description Why; for the daemon and the log of the session */
            message?: string | null;
        };
        ApprovalList: {
            approvals: components["schemas"]["PendingApproval"][];
            /**
             * Format: int64
             * @description Of all pages
             */
            total: number;
            nextCursor?: string;
        };
        PendingApproval: {
            approvalId: string;
            daemonId: string;
            sessionId: string;
            /** @description Names the question to its daemon */
            promptId: string;
            providerType: string;
            workspaceName?: string;
            /** @description The question's text */
            title: string;
            buttons: string[];
            /** @description What it asks for, as rules of policies name it */
            subject?: {
                action: string;
                resource: string;
            };
            /** @description The answers that the agent offers */
            options?: {
                optionId: string;
                name: string;
                kind: string;
            }[];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            requestedAt: number;
            /**
             * Format: int64
             * @description When it is rejected, where no answer comes
             */
            expiresAt?: number;
        };
        AgentStatus: {
            targetId: string;
            daemonId: string;
            sessionId: string;
            agentType: string;
            providerType: string;
            providerSessionId?: string;
            status: components["schemas"]["AgentState"];
            rawStatus: string;
            workspace: components["schemas"]["Workspace"] | null;
            workspaceName: string | null;
            summaryMetadata?: unknown;
            providerControls?: unknown;
            controlValues?: unknown;
            activeModal?: components["schemas"]["Modal"];
            /** @description Names what this status shows but for its times; give it as `since` to wait for another */
            version: string;
            online: boolean;
            observedAt: number | null;
            ageMs: number | null;
        };
        Modal: {
            /** @description Names this prompt, where its daemon gives it a name; an approval that carries it resolves no other */
            promptId?: string;
            message: string;
            buttons: string[];
            askedAt?: number;
            /** @description When it is rejected, where no answer comes */
            expiresAt?: number;
            /** @description What it asks for, as rules of policies name it */
            subject?: {
                action: string;
                resource: string;
            };
            /** @description The answers that the agent offers */
            options?: {
                optionId: string;
                name: string;
                kind: string;
            }[];
        };
        Workspace: {
            name: string;
            path?: string;
        };
        /** @description Several sessions match this target. Name one of them. */
        AmbiguousTargetProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "AMBIGUOUS_TARGET";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** @description Target ids */
            candidates: string[];
        };
        CommandAnswer: components["schemas"]["CommandDone"] | components["schemas"]["Refusal"];
        CommandDone: {
            /** @enum {boolean} */
            success: true;
            result?: unknown;
            /** @description Names the command in logs, on both sides */
            commandId: string;
            /** @description From acceptance to the daemon's answer */
            durationMs: number;
        };
        Interrupt: {
            /** @description Selects the agent in multi-agent IDEs; empty is absent */
            agentType?: string | "" | null;
        };
        Approval: {
            /**
             * @description `always` is passed on: an agent that offers no such choice refuses it
             * @enum {string}
             */
            action: "approve" | "reject" | "always";
            /** @description The prompt that was seen; another that waits by now is not resolved (409) */
            promptId?: string | null;
            /** @description Selects the agent in multi-agent IDEs; empty is absent */
            agentType?: string | "" | null;
        };
        DebugBundleAnswer: components["schemas"]["DebugBundle"] | components["schemas"]["Refusal"];
        /** @description At most 1 MiB, without secrets */
        DebugBundle: {
            /** @enum {boolean} */
            success: true;
            bundle: {
                [key: string]: unknown;
            };
            /** @description Copy-ready */
            text: string;
            /** @enum {boolean} */
            truncated?: true;
            /** @description Names the command in logs, on both sides */
            commandId: string;
            /** @description From acceptance to the daemon's answer */
            durationMs: number;
        };
        DebugRequest: {
            /** @description Selects the agent in multi-agent IDEs; empty is absent */
            agentType?: string | "" | null;
            /** @description At most 262144 bytes of JSON */
            frontendSnapshot?: {
                [key: string]: unknown;
            } | null;
        };
        ChatAnswer: components["schemas"]["Chat"] | components["schemas"]["Refusal"];
        /** @description The daemon's chat as it is; what it leaves out is not invented */
        Chat: {
            /** @enum {boolean} */
            success: true;
            messages?: unknown[];
            status?: string;
            title?: string;
            activeModal?: {
                [key: string]: unknown;
            };
            /** @description Names the command in logs, on both sides */
            commandId: string;
            /** @description From acceptance to the daemon's answer */
            durationMs: number;
        } & {
            [key: string]: unknown;
        };
        ChatSent: components["schemas"]["ChatTaken"] | components["schemas"]["Refusal"];
        /** @description The daemon took the message. With `wait` the members of the turn come too: `timedOut`, `status`, `version` */
        ChatTaken: {
            /** @enum {boolean} */
            success: true;
            /** @description The time was over, or the node shut down, before the turn was; the agent goes on */
            timedOut?: boolean;
            status?: components["schemas"]["AgentState"];
            /** @description What the chat has after the message; absent where the daemon did not give its chat */
            messages?: unknown[];
            /** @description The prompt, where the agent waits for an approval */
            activeModal?: {
                [key: string]: unknown;
            };
            /** @description Where the turn ended before all was said: why, in the agent's word (`max_tokens`, `max_turn_requests`) */
            stopReason?: string;
            /** @description Names what this status shows but for its times; give it as `since` to wait for another */
            version?: string;
            result?: unknown;
            /** @description Names the command in logs, on both sides */
            commandId: string;
            /** @description From acceptance to the daemon's answer */
            durationMs: number;
        };
        ChatInput: {
            /** @description Legacy text form */
            message?: string | null;
            /** @description Canonical envelope; wins over `message`. At most 256 KiB of text */
            input?: {
                parts?: components["schemas"]["ChatPart"][] | null;
                textFallback?: string | null;
            } | null;
            /** @description Selects the agent in multi-agent IDEs; empty is absent */
            agentType?: string | "" | null;
        };
        ChatPart: {
            /** @description `text`, the only kind taken */
            type: string;
            text?: string | null;
        };
        Stop: {
            type: string;
        };
        /** @description The plan keeps no further command. This one was not sent; without `Prefer: respond-async` it would be. */
        CommandLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "COMMAND_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        Launch: {
            type: string;
            dir?: string | "" | null;
            model?: string | "" | null;
            /** @description How long it may take; without `Prefer: respond-async` at most 60, where the operator allows no more */
            timeoutSeconds?: number | null;
        };
        /** @description The plan allows no further daemon. Revoke one that is not needed. */
        DaemonLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "DAEMON_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
        };
        /** @description The account of this daemon is disabled. Its token is good again once the account is enabled. */
        AccountDisabledProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "ACCOUNT_DISABLED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        Joined: {
            daemonId: string;
            /** @description The daemon's own; shown once */
            token: string;
        };
        JoiningDaemon: {
            /** @description What only this machine knows, such as a random id that it keeps: asking again before it connects, it is the same daemon */
            machineId?: string | null;
            /** @description The daemon's nickname */
            name?: string | null;
            hostname?: string | null;
        };
        RemovedJoinKey: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        /** @description The account may have no further join key. Remove one that is not needed. */
        JoinKeyLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "JOIN_KEY_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
        };
        CreatedJoinKey: {
            id: string;
            name: string;
            /** @description The first characters of the key */
            prefix: string;
            /** @description Owner's tags of each daemon that joins */
            tags: {
                [key: string]: string;
            };
            /** @description Machines that may join by it; null: any number */
            maxUses: number | null;
            /**
             * Format: int64
             * @description Machines that have joined by it
             */
            uses: number;
            /** @description A daemon that joined is removed so long after it left; null: never */
            removeAfterMinutes: number | null;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            expiresAt: number | null;
            /** @description Shown once */
            key?: string;
        };
        NewJoinKey: {
            name: string;
            /** @description Owner's tags of each daemon that joins */
            tags?: {
                [key: string]: string;
            } | null;
            /** @description 1: it is good once; absent: for any number of machines */
            maxUses?: number | null;
            expiresAt?: number | null;
            /** @description Makes the daemons ephemeral: each is removed so long after it left */
            removeAfterMinutes?: number | null;
        };
        JoinKeyList: {
            joinKeys: components["schemas"]["JoinKey"][];
        };
        JoinKey: {
            id: string;
            name: string;
            /** @description The first characters of the key */
            prefix: string;
            /** @description Owner's tags of each daemon that joins */
            tags: {
                [key: string]: string;
            };
            /** @description Machines that may join by it; null: any number */
            maxUses: number | null;
            /**
             * Format: int64
             * @description Machines that have joined by it
             */
            uses: number;
            /** @description A daemon that joined is removed so long after it left; null: never */
            removeAfterMinutes: number | null;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            expiresAt: number | null;
        };
        TaggedFleet: {
            /** @enum {boolean} */
            success: true;
            /**
             * Format: int64
             * @description Daemons that were meant
             */
            changed: number;
        };
        TagChanges: {
            /** @description Of each key its new value, or null: the owner's tag of this key is removed. Others stay as they are */
            tags: {
                [key: string]: string | null;
            };
        };
        NewTags: {
            /** @description At most 32; keys of lower-case letters, digits and ._/-, values of up to 63 characters without a comma, or empty */
            tags: {
                [key: string]: string;
            };
        };
        TaggedDaemon: {
            /** @enum {boolean} */
            success: true;
            tags: {
                [key: string]: string;
            };
            ownerTags: {
                [key: string]: string;
            };
        };
        PushAnswer: {
            /** @description That of the decision, of the message's `answers` */
            token: string;
        };
        RemovedPushSubscription: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        /** @description The plan allows no further browser. Remove one that is not needed. */
        PushSubscriptionLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "PUSH_SUBSCRIPTION_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
        };
        PushSubscription: {
            id: string;
            /** @description Of its push service */
            origin: string;
            showsSubject: boolean;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
        };
        NewPushSubscription: {
            /** @description Where its push service takes messages */
            endpoint: string;
            keys: {
                /** @description Its public key, in base64url */
                p256dh: string;
                /** @description Its secret, in base64url */
                auth: string;
            };
            /** @description Whether what a question is about is sent with its title; absent: it is not */
            showsSubject?: boolean | null;
        };
        PushSubscriptionList: {
            /** @description The `applicationServerKey` that a browser subscribes with */
            publicKey: string;
            subscriptions: components["schemas"]["PushSubscription"][];
        };
        PolicyVerdict: {
            /** @enum {string} */
            effect: "allow" | "ask" | "deny";
            /** @description The rule that says so; null: none does, and the default holds */
            rule: {
                /**
                 * Format: int64
                 * @description Its number, from 0
                 */
                index: number;
                /** @description What an agent asks for: read, edit, delete, move, search, execute, think, fetch, switch_mode, other; `*` is any text, `?` any character, over the whole value */
                action: string;
                /** @description A path, a command without its quotes, an address, or the name of a tool; `*` is any text, `?` any character, over the whole value. Each command of a line is judged alone */
                resource: string;
                /**
                 * @description Of several rules that match: deny, else ask, else allow
                 * @enum {string}
                 */
                effect: "allow" | "ask" | "deny";
                provider?: string;
                cwd?: string;
            } | null;
        };
        PolicyCase: {
            /** @enum {string} */
            action: "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other";
            resource: string;
            /** @description The type of the agent; absent: none that a rule names */
            provider?: string | null;
            /** @description The folder; absent: not known */
            cwd?: string | null;
            /** @description Rules to try instead of those of the policy, which need not exist then; nothing is kept */
            rules?: components["schemas"]["NewPolicyRule"][] | null;
        };
        NewPolicyRule: {
            /** @description What an agent asks for: read, edit, delete, move, search, execute, think, fetch, switch_mode, other; `*` is any text, `?` any character, over the whole value */
            action: string;
            /** @description A path, a command without its quotes, an address, or the name of a tool; `*` is any text, `?` any character, over the whole value. Each command of a line is judged alone */
            resource: string;
            /**
             * @description Of several rules that match: deny, else ask, else allow
             * @enum {string}
             */
            effect: "allow" | "ask" | "deny";
            /** @description Only agents of this type; absent: all */
            provider?: string | null;
            /** @description Only in this folder; absent: in all */
            cwd?: string | null;
        };
        /** @description It has changed since you read it: read it again. Nothing was changed. */
        PreconditionFailedProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "PRECONDITION_FAILED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        RemovedPolicy: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        /** @description The plan allows no further policy. Remove one that is not needed. */
        PolicyLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "POLICY_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
        };
        Policy: {
            id: string;
            /**
             * Format: int64
             * @description Counted up by each change, also past a removal; the `ETag` is it in quotes
             */
            version: number;
            /** @description Empty: all daemons */
            selector: string;
            rules: components["schemas"]["PolicyRule"][];
            /** @enum {string} */
            default: "ask" | "deny";
            timeoutSeconds: number | null;
            /** @enum {string} */
            onTimeout: "reject" | "leave";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updatedAt: number;
            /** @description Rules that allow more than they seem to, or that have no effect */
            warnings?: string[];
        };
        PolicyRule: {
            /** @description What an agent asks for: read, edit, delete, move, search, execute, think, fetch, switch_mode, other; `*` is any text, `?` any character, over the whole value */
            action: string;
            /** @description A path, a command without its quotes, an address, or the name of a tool; `*` is any text, `?` any character, over the whole value. Each command of a line is judged alone */
            resource: string;
            /**
             * @description Of several rules that match: deny, else ask, else allow
             * @enum {string}
             */
            effect: "allow" | "ask" | "deny";
            provider?: string;
            cwd?: string;
        };
        NewPolicy: {
            /** @description Which daemons, by their tags; absent: all */
            selector?: string | null;
            rules: components["schemas"]["NewPolicyRule"][];
            /** @description What holds where no rule matches; `ask` where it is absent */
            default?: ("ask" | "deny") | null;
            /** @description How long a question waits for an answer; absent: without an end */
            timeoutSeconds?: number | null;
            /** @description What then becomes of it; `reject` where it is absent */
            onTimeout?: ("reject" | "leave") | null;
        };
        PolicyList: {
            policies: components["schemas"]["Policy"][];
        };
        RemovedVersionPolicy: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        VersionPolicy: {
            id: string;
            /** @description Empty: all daemons */
            selector: string;
            daemonId: string | null;
            /** @description `hub`: what this hub serves, never an older one. `hold`: they stay as they are. Otherwise this very version, as long as the hub keeps it */
            version: string;
            window: {
                days: ("sun" | "mon" | "tue" | "wed" | "thu" | "fri" | "sat")[];
                from: string;
                to: string;
            } | null;
            canary: {
                /** Format: int64 */
                count?: number;
                /** Format: int64 */
                percent?: number;
                /** Format: int64 */
                minutes: number;
            } | null;
            /** Format: int64 */
            maxFailures: number;
            paused: boolean;
        };
        NewVersionPolicy: {
            /** @description Which daemons, by their tags; absent: all */
            selector?: string | null;
            /** @description The one daemon that is pinned, instead of a selector; this wins over any selector */
            daemonId?: string | null;
            /** @description `hub`: what this hub serves, never an older one. `hold`: they stay as they are. Otherwise this very version, as long as the hub keeps it */
            version: string;
            /** @description When daemons may be told to update; absent: at any time */
            window?: {
                /** @description Days on which it begins; absent: every day */
                days?: ("sun" | "mon" | "tue" | "wed" | "thu" | "fri" | "sat")[] | null;
                /** @description Hours and minutes, UTC: `22:00` */
                from: string;
                /** @description The same; before `from`: on the next day */
                to: string;
            } | null;
            /** @description Those that go first; absent: none */
            canary?: {
                /** @description So many daemons; otherwise `percent` */
                count?: number | null;
                /** @description So many of a hundred, rounded up */
                percent?: number | null;
                /**
                 * Format: int64
                 * @description How long the others wait after the last of them counts
                 */
                minutes: number;
            } | null;
            /** @description Failed updates at which no further daemon is told to update; 1 where it is absent */
            maxFailures?: number | null;
            /** @description Tells no further daemon */
            paused?: boolean | null;
        };
        VersionProgress: {
            policy: components["schemas"]["VersionPolicy"];
            /** @description The release that this hub serves; null: none was built */
            served: {
                version: string;
                sha256: string;
            } | null;
            /** @description How many daemons it applies to stand how */
            states: {
                /** Format: int64 */
                current: number;
                /** Format: int64 */
                pending: number;
                /** Format: int64 */
                updating: number;
                /** Format: int64 */
                failed: number;
                /** Format: int64 */
                held: number;
            };
            /** @description As many have failed as may: no further daemon is told */
            stopped: boolean;
        };
        VersionPolicyList: {
            policies: components["schemas"]["VersionPolicy"][];
            /** @description The release that this hub serves; null: none was built */
            served: {
                version: string;
                sha256: string;
            } | null;
            /** @description The releases that a policy may name: at most 6 that this hub serves or has served, the one served last first */
            kept: {
                version: string;
                sha256: string;
            }[];
        };
        Enrolled: {
            daemonId: string;
            /** @description Shown once */
            token?: string;
        };
        Enrollment: {
            name?: string | null;
            /** @description A daemon of this account that comes back */
            daemonId?: string | null;
        };
        /** @description The daemon is connected, or was a moment ago. Revoke it first, or wait until it is offline. */
        DaemonOnlineProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "DAEMON_ONLINE";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        RemovedDaemon: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        Disconnected: {
            /** @enum {boolean} */
            success: true;
            wasConnected: boolean;
        };
        TerminalAnswer: components["schemas"]["TerminalDone"] | components["schemas"]["Refusal"];
        TerminalDone: {
            /** @enum {boolean} */
            success: true;
            result: {
                exitCode: number | null;
                stdout: string;
                stderr: string;
                durationMs: number | null;
                /** @description Output is cut to 1 MiB, both streams together */
                truncated: boolean;
            };
            /** @description Names the command in logs, on both sides */
            commandId: string;
            /** @description From acceptance to the daemon's answer */
            durationMs: number;
        };
        TerminalCommand: {
            /** @description How long it may take; without `Prefer: respond-async` at most 60, where the operator allows no more */
            timeoutSeconds?: number | null;
            /** @description Not blank, at most 32768 bytes */
            command: string;
            /** @description Empty is absent, of `cwd` too */
            name?: string | null;
            cwd?: string | null;
        };
        RawCommand: {
            /** @description How long it may take; without `Prefer: respond-async` at most 60, where the operator allows no more */
            timeoutSeconds?: number | null;
            /** @enum {string} */
            type: "send_chat" | "read_chat" | "resolve_action" | "screenshot" | "launch_ide" | "launch_cli" | "stop_cli";
            /** @description `targetSessionId` addresses a session; without it the daemon picks */
            payload?: {
                [key: string]: unknown;
            } | null;
        };
        DaemonStatus: {
            id: string;
            hostname: string;
            /** @description Empty when unset */
            nickname: string;
            platform: string;
            version: string;
            /** @description The owner's tags, and the daemon's own of other keys */
            tags: {
                [key: string]: string;
            };
            /** @description Connected now, or lost less than the grace ago */
            online: boolean;
            /** @description Whether any IDE is connected */
            cdpConnected: boolean;
            connectedAt: number | null;
            lastSeenAt: number | null;
            ides: components["schemas"]["IdeTarget"][];
            clis: components["schemas"]["CliTarget"][];
            acps: components["schemas"]["AcpTarget"][];
            update?: components["schemas"]["DaemonUpdate"];
            revoked: boolean;
            /** @description Of the tags those that the owner gave it */
            ownerTags: {
                [key: string]: string;
            };
            /** @description When the daemon reported this */
            observedAt: number | null;
            ageMs: number | null;
            sessions: components["schemas"]["Session"][];
            workspaces: components["schemas"]["Workspace"][];
            agents: components["schemas"]["Agent"][];
            availableProviders: components["schemas"]["Provider"][];
            health?: components["schemas"]["MachineHealth"];
            lastEnd?: components["schemas"]["DaemonLastEnd"];
            /** @description For the daemon's author; at most 32 */
            problems: components["schemas"]["DaemonProblem"][];
        };
        /** @description Something the daemon sent that did not fit and was dropped */
        DaemonProblem: {
            /** @description Where it stood: the frame's type, then its members */
            at: string;
            reason: string;
        };
        /** @description Of one that is offline: how its last time online ended */
        DaemonLastEnd: {
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            at: number;
            /** @description As `daemon:disconnect` has it */
            reason: string | null;
            /** @description With which its socket closed, where it did */
            code: number | null;
        };
        /** @description Where the daemon reports it */
        MachineHealth: {
            /** @description The load of the last minute per processor: above 1 work waits */
            cpu?: number;
            /** @description The share of memory in use */
            memory?: number;
            /** @description The share in use of the disk that the daemon works on */
            disk?: number;
        };
        Provider: {
            type: string;
            category: string;
            displayName?: string;
            installed?: boolean;
        };
        Agent: {
            sessionId: string;
            /** @description Always means exactly this agent */
            targetId: string;
            providerType: string;
            status: components["schemas"]["AgentState"];
            workspaceName: string | null;
        };
        Session: {
            id: string;
            parentId?: string;
            providerType: string;
            providerName?: string;
            providerSessionId?: string;
            kind: string;
            transport: string;
            status: components["schemas"]["AgentState"];
            rawStatus: string;
            workspace: components["schemas"]["Workspace"] | null;
            cdpConnected?: boolean;
            surfaceHidden?: boolean;
            muted?: boolean;
        };
        /** @description Where a policy of versions applies to it */
        DaemonUpdate: {
            /** @enum {string} */
            state: "current" | "pending" | "updating" | "failed" | "held";
            policy: string;
            /** @description What it is to have; null: nothing that this hub has */
            version: string | null;
            /** @description Why its update failed */
            reason: string | null;
        };
        AcpTarget: {
            id: string;
            type: string;
            /** @description Of an IDE its workspace's name, of a CLI or an ACP agent its working directory; null when unknown */
            workspaceName: string | null;
        };
        CliTarget: {
            id: string;
            type: string;
            /** @description Of an IDE its workspace's name, of a CLI or an ACP agent its working directory; null when unknown */
            workspaceName: string | null;
            name: string;
        };
        IdeTarget: {
            id: string;
            type: string;
            /** @description Of an IDE its workspace's name, of a CLI or an ACP agent its working directory; null when unknown */
            workspaceName: string | null;
            cdpConnected: boolean;
        };
        DaemonList: {
            daemons: components["schemas"]["Daemon"][];
            /** @description Absent on the last page */
            nextCursor?: string;
            /**
             * Format: int64
             * @description Of a search: all that it found, on whatever page
             */
            total?: number;
            /**
             * Format: int64
             * @description Of those the connected ones
             */
            onlineTotal?: number;
        };
        Daemon: {
            id: string;
            hostname: string;
            /** @description Empty when unset */
            nickname: string;
            platform: string;
            version: string;
            /** @description The owner's tags, and the daemon's own of other keys */
            tags: {
                [key: string]: string;
            };
            /** @description Connected now, or lost less than the grace ago */
            online: boolean;
            /** @description Whether any IDE is connected */
            cdpConnected: boolean;
            connectedAt: number | null;
            lastSeenAt: number | null;
            ides: components["schemas"]["IdeTarget"][];
            clis: components["schemas"]["CliTarget"][];
            acps: components["schemas"]["AcpTarget"][];
            update?: components["schemas"]["DaemonUpdate"];
        };
        AuditList: {
            events: components["schemas"]["AuditEvent"][];
            /** @description Absent on the last page; one before it may be shorter than was asked for, where a filter lets few pass */
            nextCursor?: string;
        };
        AuditEvent: {
            id: string;
            /**
             * Format: int64
             * @description When it happened, epoch milliseconds; of several, the first
             */
            at: number;
            actor: components["schemas"]["AuditActor"];
            /** @description What was done: `session.started`, `session.ended`, `session.others_ended`, `member.joined`, `member.changed`, `member.removed`, `invitation.created`, `invitation.removed`, `service_account.created`, `service_account.changed`, `service_account.removed`, `key.created`, `key.revoked`, `device.approved`, `device.denied`, `app.approved`, `app.denied`, `app.connected`, `app.disconnected`, `oauth_client.added`, `oauth_client.removed`, `daemon.enrolled`, `daemon.token_created`, `daemon.revoked`, `daemon.removed`, `daemon.disconnected`, `daemon.tagged`, `daemon_version.set`, `daemon_version.removed`, `policy.set`, `policy.removed`, `push_subscription.added`, `push_subscription.removed`, `join_key.created`, `join_key.removed`, `webhook.created`, `webhook.changed`, `webhook.removed`, `webhook.secret_rotated`, `webhook.tested`, `webhook.resent`, `webhook.recovered`, `package.published`, `package.promoted`, `package.yanked`, `package.restored`, `account.created`, `account.disabled`, `account.enabled`, `account.password_set`, `account.plan_set`, `account.removed`, `turn.disabled`, `turn.enabled`, `secret.rotated`, `backup.made`, `command.sent`, `approval.decided`, `job.started`, `job.cancelled`. More may be added */
            action: string;
            /** @description The id of what was acted upon */
            object: string | null;
            /** @description Which of its kind: the type of a command, the scopes of a key, the join key of a machine, what of a webhook was changed */
            detail: string | null;
            /**
             * @description `refused`: by the rules of the hub. `failed`: for another reason; a command may have had its effect
             * @enum {string}
             */
            outcome: "done" | "refused" | "failed";
            /** @description The `reason` of a refusal or failure; `CALLER_LEFT`: its caller left before the answer */
            reason: string | null;
            /** @description The client's address, of an IPv6 one the /64; null for the command line */
            address: string | null;
            /** @description The node of the hub that did it */
            node: string | null;
            /** @description The `X-Request-Id` of its answer; of several, the first */
            requestId: string | null;
            /**
             * Format: int64
             * @description How many alike there were within a minute: commands, refusals
             */
            count: number;
        };
        AuditActor: {
            /**
             * @description `command_line`: an administrator on the machine of the hub; `administrator`: one over the API. `anonymous`: without a valid credential
             * @enum {string}
             */
            kind: "key" | "session" | "grant" | "command_line" | "administrator" | "anonymous" | "policy";
            /** @description Of the API key, the connected app's grant, the session, or the browser that was sent a push message */
            id: string | null;
            /** @description Id of the person behind it, also behind their key */
            person: string | null;
            /** @description Id of the service account whose key it is */
            serviceAccount: string | null;
        };
        RequestList: {
            requests: components["schemas"]["LoggedRequest"][];
            /**
             * Format: int64
             * @description How many requests of the account are not kept since the oldest one that is, whatever is asked for
             */
            omitted: number;
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        LoggedRequest: {
            id: string;
            /**
             * Format: int64
             * @description When it was answered, epoch milliseconds
             */
            at: number;
            /** @description The `X-Request-Id` of its answer */
            requestId: string;
            method: string;
            /** @description As it was asked for, without the query; its first 512 characters */
            path: string;
            /** @description The operation of this document: `daemons.status` */
            operation: string;
            /** @description `/api/v1/daemons/{daemonId}/status` */
            route: string;
            /** @description null: the caller left before the answer */
            status: number | null;
            /** @description The `reason` of an error */
            reason: string | null;
            /** @description Its `code` */
            code: string | null;
            /** @description Until the answer; of a stream until it began */
            durationMs: number;
            credential: components["schemas"]["LoggedCredential"];
            /** @description Who was signed in, or whose key it was; null: the key was the account's */
            owner: components["schemas"]["CredentialOwner"] | null;
            /**
             * Format: int64
             * @description Requests of the account that were answered on that node in the second before and are not kept, because there were more than 50
             */
            omitted: number;
        };
        CredentialOwner: {
            /** @enum {string} */
            kind: "person" | "service_account";
            id: string;
            /** @description The person's address, or the service account's name; null: it is not in the account any more */
            name: string | null;
        };
        LoggedCredential: components["schemas"]["LoggedKey"] | components["schemas"]["LoggedGrant"] | components["schemas"]["LoggedSession"];
        LoggedSession: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "session";
        };
        LoggedGrant: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "grant";
            id: string;
            /** @description Of the connected app; null: it is disconnected */
            name: string | null;
        };
        LoggedKey: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "key";
            id: string;
            /** @description null: its record is not kept any more */
            name: string | null;
        };
        /** @description The service account has as many keys as it may. Revoke the older one first. */
        ServiceKeyLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "SERVICE_KEY_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
        };
        /** @description The plan allows no further API key. Revoke one that is not needed. */
        ApiKeyLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "API_KEY_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
        };
        CreatedApiKey: {
            id: string;
            name: string;
            /** @description The first characters of the key */
            prefix: string;
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /** @description To the minute */
            lastUsedAt: number | null;
            expiresAt: number | null;
            revokedAt: number | null;
            /** @description The daemons that it is bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description Whose it is: it may never more than they may, and ends with them. null: the account's */
            owner: components["schemas"]["KeyOwner"] | null;
            /** @description Shown once */
            key?: string;
        };
        KeyOwner: {
            /** @enum {string} */
            kind: "person" | "service_account";
            id: string;
        };
        NewServiceAccountKey: {
            /** @description 90 days from now when absent */
            expiresAt?: number | null;
        };
        RemovedServiceAccount: {
            /** @enum {boolean} */
            success: true;
            id: string;
            /** @description Ids of its API keys, which ended with it */
            revokedKeys: string[];
        };
        ServiceAccount: {
            id: string;
            name: string;
            /** @description null: its scopes were given one by one */
            role: ("viewer" | "operator" | "admin") | null;
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            /** @description The daemons that it is bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description Its keys are refused for as long */
            disabled: boolean;
            /** @description Id of the person who made it; it stays when they leave */
            createdBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /** @description Those that are neither revoked nor expired */
            keys: components["schemas"]["ServiceAccountKey"][];
        };
        ServiceAccountKey: {
            id: string;
            expiresAt: number | null;
            lastUsedAt: number | null;
        };
        ServiceAccountChange: {
            disabled: boolean;
        };
        /** @description The plan allows no further service account. Remove one that is not needed. */
        ServiceAccountLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "SERVICE_ACCOUNT_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
        };
        NewServiceAccount: {
            name: string;
            /** @description What it may do; or `scopes` */
            role?: ("viewer" | "operator" | "admin") | null;
            /** @description What it may do, where that is no role */
            scopes?: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[] | null;
            /** @description Binds it to the daemons with these tags. Not with `webhook:manage` or `registry:publish` */
            selector?: string | "" | null;
        };
        ServiceAccountList: {
            serviceAccounts: components["schemas"]["ServiceAccount"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        /** @description The plan allows no further person; invitations that wait count. */
        PeopleLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "PEOPLE_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
        };
        /** @description This person is a member of the account already. */
        AlreadyMemberProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "ALREADY_MEMBER";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        Accepted: {
            accountId: string;
            personId: string;
            /** @description The address that was invited */
            email: string;
            /**
             * @description Each may do all that those before it may
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "owner";
        };
        Acceptance: {
            token: string;
            /** @description Of a person who is new here, who signs in with it from now on */
            password?: string | "" | null;
        };
        ShownInvitation: {
            account: {
                id: string;
                /** @description The address that the account bears */
                email: string;
            };
            /** @description The address that is invited */
            email: string;
            /**
             * @description Each may do all that those before it may
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "owner";
            /** @description The daemons that they are bound to, by their tags; null: all of the account */
            selector: string | null;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
            /** @description Whether a person has the address, who signs in to accept; otherwise a password makes one */
            signsIn: boolean;
        };
        InvitationToken: {
            token: string;
        };
        RemovedInvitation: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        /** @description Too many invitations wait. Take one back, or wait until one is accepted. */
        InvitationLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "INVITATION_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
        };
        CreatedInvitation: {
            id: string;
            email: string;
            /**
             * @description Each may do all that those before it may
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "owner";
            /** @description The daemons that they are bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description Id of a person */
            invitedBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
            /** @description What accepts it; shown once */
            token?: string;
            /** @description The page of the console that accepts it, for who is invited; shown once. Relative to the hub's address where HUB_PUBLIC_URL is not set */
            url?: string;
        };
        NewInvitation: {
            email: string;
            /**
             * @description Each may do all that those before it may
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "owner";
            /** @description Binds a viewer or an operator to the daemons with these tags */
            selector?: string | "" | null;
            /** @description Within 30 days; 7 days from now when absent */
            expiresAt?: number | null;
        };
        InvitationList: {
            invitations: components["schemas"]["Invitation"][];
        };
        Invitation: {
            id: string;
            email: string;
            /**
             * @description Each may do all that those before it may
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "owner";
            /** @description The daemons that they are bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description Id of a person */
            invitedBy: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
        };
        /** @description The account needs an owner. Make another member one first. */
        LastOwnerProblem: {
            /** @description One public sentence */
            error: string;
            /** @enum {string} */
            reason: "LAST_OWNER";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        RemovedMember: {
            /** @enum {boolean} */
            success: true;
            personId: string;
            /** @description Ids of the API keys that ended with them */
            revokedKeys: string[];
        };
        Member: {
            personId: string;
            email: string;
            /**
             * @description Each may do all that those before it may
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "owner";
            /** @description The daemons that they are bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description Id of a person; null: they came with the account, or by the sign-in provider */
            invitedBy: string | null;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            since: number;
        };
        MemberChange: {
            role?: ("viewer" | "operator" | "admin" | "owner") | null;
            /** @description Binds a viewer or an operator to the daemons with these tags; empty: to none */
            selector?: string | null;
        };
        MemberList: {
            members: components["schemas"]["Member"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        /** @description The program's request to connect is refused. */
        AuthorizationRefusedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "AUTHORIZATION_REFUSED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** @description Where the program is told so, if its person wants */
            location?: string;
        };
        AppDecided: {
            /** @description Where the person's browser goes now */
            location: string;
        };
        AppRequest: {
            /** @description The query with which the app sent its person to the authorization endpoint, as it came */
            query: string;
        };
        /** @description The account may have no further connected app. Disconnect one that is not needed. */
        ConnectedAppLimitReachedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "CONNECTED_APP_LIMIT_REACHED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /** Format: int64 */
            limit: number;
        };
        AppApproval: {
            /** @description The query with which the app sent its person to the authorization endpoint, as it came */
            query: string;
            /** @description Those of the scopes that it asks for that it gets */
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            /** @description Binds it to the daemons with these tags. Not with `webhook:manage` */
            selector?: string | "" | null;
            /** @description Whether it stays connected until it is not used for 30 days; else for an hour */
            offline?: boolean | null;
        };
        ShownAppRequest: {
            /** @description In the app's own words */
            name: string;
            clientId: string;
            /** @description Where the answer goes */
            redirectHost: string;
            /**
             * @description `loopback`: to a program of the person's own computer, which may have taken any name; `app`: likewise
             * @enum {string}
             */
            redirectKind: "web" | "loopback" | "app";
            scopes: components["schemas"]["ScopeInWords"][];
            /** @description Whether it may stay connected */
            offline: boolean;
            /** @description The address of the hub that is asked */
            issuer: string;
        };
        ScopeInWords: {
            /** @enum {string} */
            name: "ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish";
            /** @description What it lets an agent do */
            says: string;
            readsOnly: boolean;
        };
        DisconnectedApp: {
            /** @enum {boolean} */
            success: true;
            id: string;
        };
        ConnectedAppList: {
            connectedApps: components["schemas"]["ConnectedApp"][];
        };
        ConnectedApp: {
            id: string;
            /** @description In the app's own words */
            name: string;
            /** @description Who let it in: it may never more than they may, and ends with their membership */
            personId: string;
            /** @description An https address of the app's makers, or an id of this hub */
            clientId: string;
            /** @description Where its answer went: `claude.ai`, `localhost` */
            redirectHost: string;
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            /** @description The daemons that it is bound to, by their tags; null: all of the account */
            selector: string | null;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /** @description To the minute */
            lastUsedAt: number | null;
            /**
             * Format: int64
             * @description When it ends, unless it is used before
             */
            expiresAt: number;
        };
        RevokedApiKey: {
            /** @enum {boolean} */
            success: true;
            id: string;
            /** @description Ids of the jobs that the key had started and that were under way: they send nothing more */
            cancelledJobs: string[];
        };
        NewApiKey: {
            name: string;
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            expiresAt?: number | null;
            /** @description Binds the key to the daemons with these tags; for it there are no others. Not with `webhook:manage` or `registry:publish` */
            selector?: string | "" | null;
        };
        ApiKeyList: {
            apiKeys: components["schemas"]["ApiKey"][];
            /** @description Absent on the last page */
            nextCursor?: string;
        };
        ApiKey: {
            id: string;
            name: string;
            /** @description The first characters of the key */
            prefix: string;
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /** @description To the minute */
            lastUsedAt: number | null;
            expiresAt: number | null;
            revokedAt: number | null;
            /** @description The daemons that it is bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description Whose it is: it may never more than they may, and ends with them. null: the account's */
            owner: components["schemas"]["KeyOwner"] | null;
        };
        Usage: {
            /** @description Calendar month, UTC: `2026-01` */
            month: string;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
            /** Format: int64 */
            used: number;
            /** @description null: unlimited */
            limit: number | null;
            remaining: number | null;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            resetsAt: number;
        };
        Me: {
            account: components["schemas"]["Account"];
            /** @description Who is signed in, or whose key it is; null: a service account's key, or the account's */
            person: components["schemas"]["Person"] | null;
            /** @description Id of the service account whose key it is */
            serviceAccount: string | null;
            /**
             * @description In this account. A key has the scopes that it was given of it
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "owner";
            /** @description The daemons that this credential is bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description The accounts that a session may switch to, this one included. A key is of one account: none */
            memberships: components["schemas"]["Membership"][];
            credential: components["schemas"]["Credential"];
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            limits: components["schemas"]["Limits"];
        };
        Limits: {
            key: components["schemas"]["RateWindow"] | null;
            ip: components["schemas"]["RateWindow"];
            month: components["schemas"]["Usage"];
            /** @description Daemons that are enrolled and not revoked */
            daemons: components["schemas"]["Held"];
            /** @description API keys that are neither revoked nor expired */
            apiKeys: components["schemas"]["Held"];
            /** @description Webhooks, inactive ones included */
            webhooks: components["schemas"]["Held"];
            /** @description Members, and invitations that wait */
            people: components["schemas"]["Held"];
            /** @description Service accounts, disabled ones included */
            serviceAccounts: components["schemas"]["Held"];
            /** @description Deliveries that wait for an attempt */
            pendingDeliveries: components["schemas"]["Volume"];
            /** @description The bytes of their bodies, and of the answers to their attempts */
            pendingDeliveryBytes: components["schemas"]["Volume"];
            /** @description Outcomes kept for calls with an `Idempotency-Key` */
            keptOutcomes: components["schemas"]["Volume"];
            /** @description The bytes of their answers */
            keptOutcomeBytes: components["schemas"]["Volume"];
            /** @description Commands that outlive their call, running ones included */
            keptCommands: components["schemas"]["Volume"];
            /** @description The bytes of their results */
            keptCommandBytes: components["schemas"]["Volume"];
        };
        Volume: {
            /** @description A minute old at most; null: not counted yet, ask again */
            used: number | null;
            /** Format: int64 */
            max: number;
        };
        Held: {
            /** Format: int64 */
            used: number;
            /** @description null: unlimited */
            max: number | null;
        };
        RateWindow: {
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            windowSeconds: number;
            /** Format: int64 */
            remaining: number;
            /** Format: int64 */
            resetSeconds: number;
        };
        Credential: components["schemas"]["KeyCredential"] | components["schemas"]["GrantCredential"] | components["schemas"]["SessionCredential"];
        SessionCredential: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "session";
            id: string;
            authenticatedAt: number | null;
            /** @description Until when the login counts as recent */
            recentUntil: number | null;
            /** Format: int64 */
            expiresAt: number;
        };
        /** @description What was granted to a connected app; `expiresAt`: its access token's end */
        GrantCredential: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "grant";
            id: string;
            /** Format: int64 */
            expiresAt: number;
        };
        KeyCredential: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "key";
            id: string;
        };
        Membership: {
            accountId: string;
            /** @description The address that the account bears */
            email: string;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
            /** @enum {string} */
            role: "viewer" | "operator" | "admin" | "owner";
        };
        Account: {
            id: string;
            email: string;
            /** @enum {string} */
            plan: "free" | "pro" | "ultra" | "enterprise";
            admin: boolean;
        };
        DeviceDecided: {
            /** @enum {boolean} */
            success: true;
        };
        UserCode: {
            /** @description As the device shows it, in whatever case: `WDJB-MJHT` */
            userCode: string;
        };
        DeviceApproval: {
            /** @description As the device shows it, in whatever case: `WDJB-MJHT` */
            userCode: string;
            /** @description Those of the scopes that it asks for that it gets; all when left out */
            scopes?: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[] | null;
            /** @description Whether it also gets a join key, for machines that demonstrate (`hub trigger`) */
            joinKey?: boolean | null;
        };
        WaitingDevice: {
            /** @description In the device's own words */
            name: string;
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
        };
        /** @description The person of this device refused it. */
        AccessDeniedProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "ACCESS_DENIED";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description This device code is unknown, used or too old. Begin again. */
        ExpiredTokenProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "EXPIRED_TOKEN";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
        };
        /** @description This device asks too often. It has to wait longer from now on. */
        SlowDownProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "SLOW_DOWN";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        /** @description The person of this device has not decided yet. */
        AuthorizationPendingProblem: {
            /** @description One public sentence */
            error: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            reason: "AUTHORIZATION_PENDING";
            requestId: string;
            /** @description Where this failure is described, on this hub */
            docs: string;
            /**
             * Format: int64
             * @description Seconds: when to try again
             */
            retryAfter: number;
        };
        DeviceApiKey: {
            id: string;
            name: string;
            /** @description The first characters of the key */
            prefix: string;
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /** @description To the minute */
            lastUsedAt: number | null;
            expiresAt: number | null;
            revokedAt: number | null;
            /** @description The daemons that it is bound to, by their tags; null: all of the account */
            selector: string | null;
            /** @description Whose it is: it may never more than they may, and ends with them. null: the account's */
            owner: components["schemas"]["KeyOwner"] | null;
            /** @description Shown once */
            key: string;
            /** @description Shown once, where its person allowed one: a machine that joins by it is removed a minute after it left */
            joinKey?: string;
        };
        DevicePoll: {
            deviceCode: string;
        };
        BegunDevice: {
            /** @description For the device's polls; a secret */
            deviceCode: string;
            /** @description For its person: `WDJB-MJHT` */
            userCode: string;
            /** @description Where the person goes; relative to the hub's address where HUB_PUBLIC_URL is not set */
            verificationUri: string;
            /** @description The same with the code; relative to the hub's address where HUB_PUBLIC_URL is not set */
            verificationUriComplete: string;
            /**
             * Format: int64
             * @description Seconds: 600
             */
            expiresIn: number;
            /**
             * Format: int64
             * @description Seconds between two polls, at least: 5
             */
            interval: number;
        };
        NewDevice: {
            /** @description Names the device to its person, and the key */
            name: string;
            /** @description What the key is to allow; its person may allow less */
            scopes: ("ide:read" | "ide:control" | "agent:read" | "agent:control" | "terminal:exec" | "webhook:manage" | "registry:publish")[];
        };
        OthersSignedOut: {
            /** @enum {boolean} */
            success: true;
            /**
             * Format: int64
             * @description How many other sessions there were
             */
            ended: number;
        };
        NewPassword: {
            password: string;
        };
        SignedIn: {
            token: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            expiresAt: number;
            account: components["schemas"]["Account"];
            /** @description Who signed in, who may be one of several members of the account */
            person: components["schemas"]["Person"];
        };
        Person: {
            id: string;
            email: string;
        };
        Switch: {
            /** @description Of an account that you are a member of */
            accountId: string;
        };
        SignedOut: {
            /** @enum {boolean} */
            success: true;
        };
        Exchange: {
            code: string;
            /** @description What the challenge of this sign-in was made from; needed unless it began without one */
            verifier?: string | null;
        };
        Login: {
            email: string;
            password: string;
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not ready";
            waitingFor: string[];
        };
        Alive: {
            /** @enum {string} */
            status: "alive";
        };
    };
    responses: {
        /** @description `INTERNAL`: Something went wrong on our side. */
        StoreFailedUnlimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["StoreFailedProblem"];
            };
        };
        /** @description `NOT_FOUND`: There is nothing here. */
        NotFoundUnlimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundProblem"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests in a short time. */
        RateLimitedUnlimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitedProblem"];
            };
        };
        /** @description `OVERLOADED`: Too much is waiting already. Try again shortly. */
        OverloadedUnlimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OverloadedProblem"];
            };
        };
        /** @description `VALIDATION_FAILED`: The request does not fit what this call takes. */
        ValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationFailedProblem"];
            };
        };
        /** @description `AUTH_INVALID`: The credential is invalid or expired. */
        AuthInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthInvalidProblem"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: What was sent is larger than this call takes. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLargeProblem"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests in a short time. */
        RateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitedProblem"];
            };
        };
        /** @description `INTERNAL`: Something went wrong on our side. */
        StoreFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["StoreFailedProblem"];
            };
        };
        /** @description `OVERLOADED`: Too much is waiting already. Try again shortly. */
        Overloaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OverloadedProblem"];
            };
        };
        /** @description `NOT_FOUND`: There is nothing here. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundProblem"];
            };
        };
        /**
         * @description `AUTH_INVALID`: The credential is invalid or expired.
         *
         *     `AUTH_REQUIRED`: This call needs an Authorization header with a bearer credential.
         */
        AuthInvalidOrAuthRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthInvalidProblem"] | components["schemas"]["AuthRequiredProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrRecentLoginRequiredOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /** @description `AUTH_FORBIDDEN`: This credential may not do that. */
        AuthForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"];
            };
        };
        /**
         * @description `ACCESS_DENIED`: The person of this device refused it.
         *
         *     `AUTHORIZATION_PENDING`: The person of this device has not decided yet.
         *
         *     `EXPIRED_TOKEN`: This device code is unknown, used or too old. Begin again.
         *
         *     `SLOW_DOWN`: This device asks too often. It has to wait longer from now on.
         *
         *     `VALIDATION_FAILED`: The request does not fit what this call takes.
         */
        AccessDeniedOrAuthorizationPendingOrExpiredTokenOrSlowDownOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AccessDeniedProblem"] | components["schemas"]["AuthorizationPendingProblem"] | components["schemas"]["ExpiredTokenProblem"] | components["schemas"]["SlowDownProblem"] | components["schemas"]["ValidationFailedProblem"];
            };
        };
        /**
         * @description `API_KEY_LIMIT_REACHED`: The plan allows no further API key. Revoke one that is not needed.
         *
         *     `AUTH_FORBIDDEN`: This credential may not do that.
         */
        ApiKeyLimitReachedOrAuthForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiKeyLimitReachedProblem"] | components["schemas"]["AuthForbiddenProblem"];
            };
        };
        /**
         * @description `API_LIMIT_EXCEEDED`: The plan's calls of this month are used up.
         *
         *     `RATE_LIMITED`: Too many requests in a short time.
         */
        ApiLimitExceededOrRateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiLimitExceededProblem"] | components["schemas"]["RateLimitedProblem"];
            };
        };
        /**
         * @description `API_KEY_LIMIT_REACHED`: The plan allows no further API key. Revoke one that is not needed.
         *
         *     `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        ApiKeyLimitReachedOrAuthForbiddenOrRecentLoginRequiredOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiKeyLimitReachedProblem"] | components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /** @description `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running. */
        IdempotencyConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictProblem"];
            };
        };
        /** @description `OUTCOME_NOT_KEPT`: This call was run and is not run again. Its answer was not kept: the account had too much kept then. */
        OutcomeNotKept: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OutcomeNotKeptProblem"];
            };
        };
        /** @description `IDEMPOTENCY_MISMATCH`: This Idempotency-Key was used with another request. */
        IdempotencyMismatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyMismatchProblem"];
            };
        };
        /**
         * @description `IDEMPOTENCY_LIMIT_REACHED`: The plan keeps no further outcome. This call was not run; without an Idempotency-Key it would be.
         *
         *     `RATE_LIMITED`: Too many requests in a short time.
         */
        IdempotencyLimitReachedOrRateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyLimitReachedProblem"] | components["schemas"]["RateLimitedProblem"];
            };
        };
        /**
         * @description `INTERNAL`: The node that ran this call ended in mid-work. What came of it is not known, and it is not run again.
         *
         *     `OVERLOADED`: Too much is waiting already. Try again shortly.
         */
        OutcomeUnknownOrOverloaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OutcomeUnknownProblem"] | components["schemas"]["OverloadedProblem"];
            };
        };
        /**
         * @description `AUTHORIZATION_REFUSED`: The program's request to connect is refused.
         *
         *     `VALIDATION_FAILED`: The request does not fit what this call takes.
         */
        AuthorizationRefusedOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthorizationRefusedProblem"] | components["schemas"]["ValidationFailedProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `CONNECTED_APP_LIMIT_REACHED`: The account may have no further connected app. Disconnect one that is not needed.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrConnectedAppLimitReachedOrRecentLoginRequiredOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["ConnectedAppLimitReachedProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /** @description `LAST_OWNER`: The account needs an owner. Make another member one first. */
        LastOwner: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LastOwnerProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `INVITATION_LIMIT_REACHED`: Too many invitations wait. Take one back, or wait until one is accepted.
         *
         *     `PEOPLE_LIMIT_REACHED`: The plan allows no further person; invitations that wait count.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrInvitationLimitReachedOrPeopleLimitReachedOrRecentLoginRequiredOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["InvitationLimitReachedProblem"] | components["schemas"]["PeopleLimitReachedProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /**
         * @description `ALREADY_MEMBER`: This person is a member of the account already.
         *
         *     `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running.
         */
        AlreadyMemberOrIdempotencyConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AlreadyMemberProblem"] | components["schemas"]["IdempotencyConflictProblem"];
            };
        };
        /** @description `AUTH_REQUIRED`: This call needs an Authorization header with a bearer credential. */
        AuthRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthRequiredProblem"];
            };
        };
        /** @description `PEOPLE_LIMIT_REACHED`: The plan allows no further person; invitations that wait count. */
        PeopleLimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PeopleLimitReachedProblem"];
            };
        };
        /** @description `ALREADY_MEMBER`: This person is a member of the account already. */
        AlreadyMember: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AlreadyMemberProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         *
         *     `SERVICE_ACCOUNT_LIMIT_REACHED`: The plan allows no further service account. Remove one that is not needed.
         */
        AuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrServiceAccountLimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"] | components["schemas"]["ServiceAccountLimitReachedProblem"];
            };
        };
        /**
         * @description `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running.
         *
         *     `SERVICE_KEY_LIMIT_REACHED`: The service account has as many keys as it may. Revoke the older one first.
         */
        IdempotencyConflictOrServiceKeyLimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictProblem"] | components["schemas"]["ServiceKeyLimitReachedProblem"];
            };
        };
        /**
         * @description `AMBIGUOUS_TARGET`: Several sessions match this target. Name one of them.
         *
         *     `VALIDATION_FAILED`: The request does not fit what this call takes.
         */
        AmbiguousTargetOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AmbiguousTargetProblem"] | components["schemas"]["ValidationFailedProblem"];
            };
        };
        /**
         * @description `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running.
         *
         *     `PROMPT_CHANGED`: Another prompt waits by now than the one named, and nothing was resolved. Read the status and decide again.
         */
        IdempotencyConflictOrPromptChanged: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictProblem"] | components["schemas"]["PromptChangedProblem"];
            };
        };
        /**
         * @description `API_LIMIT_EXCEEDED`: The plan's calls of this month are used up.
         *
         *     `COMMAND_LIMIT_REACHED`: The plan keeps no further command. This one was not sent; without `Prefer: respond-async` it would be.
         *
         *     `IDEMPOTENCY_LIMIT_REACHED`: The plan keeps no further outcome. This call was not run; without an Idempotency-Key it would be.
         *
         *     `RATE_LIMITED`: Too many requests in a short time.
         */
        ApiLimitExceededOrCommandLimitReachedOrIdempotencyLimitReachedOrRateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiLimitExceededProblem"] | components["schemas"]["CommandLimitReachedProblem"] | components["schemas"]["IdempotencyLimitReachedProblem"] | components["schemas"]["RateLimitedProblem"];
            };
        };
        /**
         * @description `DAEMON_OFFLINE`: The daemon is offline.
         *
         *     `INTERNAL`: Something went wrong on our side.
         */
        DaemonOfflineOrStoreFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DaemonOfflineProblem"] | components["schemas"]["StoreFailedProblem"];
            };
        };
        /**
         * @description `DAEMON_SOCKET_LOST`: The daemon's connection is interrupted.
         *
         *     `INTERNAL`: The node that ran this call ended in mid-work. What came of it is not known, and it is not run again.
         *
         *     `OVERLOADED`: Too much is waiting already. Try again shortly.
         */
        DaemonSocketLostOrOutcomeUnknownOrOverloaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DaemonSocketLostProblem"] | components["schemas"]["OutcomeUnknownProblem"] | components["schemas"]["OverloadedProblem"];
            };
        };
        /** @description `COMMAND_TIMEOUT`: The daemon did not answer the command in time. */
        CommandTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CommandTimeoutProblem"];
            };
        };
        /** @description `DAEMON_ONLINE`: The daemon is connected, or was a moment ago. Revoke it first, or wait until it is offline. */
        DaemonOnline: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DaemonOnlineProblem"];
            };
        };
        /**
         * @description `DAEMON_SOCKET_LOST`: The daemon's connection is interrupted.
         *
         *     `OVERLOADED`: Too much is waiting already. Try again shortly.
         */
        DaemonSocketLostOrOverloaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DaemonSocketLostProblem"] | components["schemas"]["OverloadedProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `DAEMON_LIMIT_REACHED`: The plan allows no further daemon. Revoke one that is not needed.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrDaemonLimitReachedOrRecentLoginRequiredOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["DaemonLimitReachedProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `POLICY_LIMIT_REACHED`: The plan allows no further policy. Remove one that is not needed.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrPolicyLimitReachedOrRecentLoginRequiredOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["PolicyLimitReachedProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /** @description `PRECONDITION_FAILED`: It has changed since you read it: read it again. Nothing was changed. */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PreconditionFailedProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `PUSH_SUBSCRIPTION_LIMIT_REACHED`: The plan allows no further browser. Remove one that is not needed.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrPushSubscriptionLimitReachedOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["PushSubscriptionLimitReachedProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /** @description `ROLE_TOO_LOW`: Your role in this account is too low for that. */
        RoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RoleTooLowProblem"];
            };
        };
        /**
         * @description `ALREADY_RESOLVED`: The question is answered already.
         *
         *     `PROMPT_CHANGED`: Another prompt waits by now than the one named, and nothing was resolved. Read the status and decide again.
         */
        AlreadyResolvedOrPromptChanged: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AlreadyResolvedProblem"] | components["schemas"]["PromptChangedProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `JOIN_KEY_LIMIT_REACHED`: The account may have no further join key. Remove one that is not needed.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         */
        AuthForbiddenOrJoinKeyLimitReachedOrRecentLoginRequiredOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["JoinKeyLimitReachedProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"];
            };
        };
        /**
         * @description `ACCOUNT_DISABLED`: The account of this daemon is disabled. Its token is good again once the account is enabled.
         *
         *     `DAEMON_LIMIT_REACHED`: The plan allows no further daemon. Revoke one that is not needed.
         */
        AccountDisabledOrDaemonLimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AccountDisabledProblem"] | components["schemas"]["DaemonLimitReachedProblem"];
            };
        };
        /**
         * @description `API_LIMIT_EXCEEDED`: The plan's calls of this month are used up.
         *
         *     `IDEMPOTENCY_LIMIT_REACHED`: The plan keeps no further outcome. This call was not run; without an Idempotency-Key it would be.
         *
         *     `RATE_LIMITED`: Too many requests in a short time.
         */
        ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiLimitExceededProblem"] | components["schemas"]["IdempotencyLimitReachedProblem"] | components["schemas"]["RateLimitedProblem"];
            };
        };
        /**
         * @description `ALREADY_RESOLVED`: The question is answered already.
         *
         *     `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running.
         *
         *     `PROMPT_CHANGED`: Another prompt waits by now than the one named, and nothing was resolved. Read the status and decide again.
         */
        AlreadyResolvedOrIdempotencyConflictOrPromptChanged: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AlreadyResolvedProblem"] | components["schemas"]["IdempotencyConflictProblem"] | components["schemas"]["PromptChangedProblem"];
            };
        };
        /**
         * @description `COMMAND_NOT_CANCELLABLE`: The command runs, and its daemon cannot end one that runs.
         *
         *     `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running.
         */
        CommandNotCancellableOrIdempotencyConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CommandNotCancellableProblem"] | components["schemas"]["IdempotencyConflictProblem"];
            };
        };
        /** @description `DAEMON_LACKS_FEATURE`: The daemon does not have this feature. A newer one may. */
        DaemonLacksFeature: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DaemonLacksFeatureProblem"];
            };
        };
        /**
         * @description `API_LIMIT_EXCEEDED`: The plan's calls of this month are used up.
         *
         *     `IDEMPOTENCY_LIMIT_REACHED`: The plan keeps no further outcome. This call was not run; without an Idempotency-Key it would be.
         *
         *     `JOB_LIMIT_REACHED`: The account has too many jobs under way or kept, or too many targets of them. Nothing was sent.
         *
         *     `RATE_LIMITED`: Too many requests in a short time.
         */
        ApiLimitExceededOrIdempotencyLimitReachedOrJobLimitReachedOrRateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiLimitExceededProblem"] | components["schemas"]["IdempotencyLimitReachedProblem"] | components["schemas"]["JobLimitReachedProblem"] | components["schemas"]["RateLimitedProblem"];
            };
        };
        /**
         * @description `AUTH_FORBIDDEN`: This credential may not do that.
         *
         *     `RECENT_LOGIN_REQUIRED`: This call needs a dashboard session with a recent login.
         *
         *     `ROLE_TOO_LOW`: Your role in this account is too low for that.
         *
         *     `WEBHOOK_LIMIT_REACHED`: The plan allows no further webhook.
         */
        AuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrWebhookLimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthForbiddenProblem"] | components["schemas"]["RecentLoginRequiredProblem"] | components["schemas"]["RoleTooLowProblem"] | components["schemas"]["WebhookLimitReachedProblem"];
            };
        };
        /**
         * @description `AUTH_INVALID`: The credential is invalid or expired.
         *
         *     `AUTH_REQUIRED`: This call needs an Authorization header with a bearer credential.
         *
         *     `TOKEN_EXPIRED`: The access token has expired.
         */
        AuthInvalidOrAuthRequiredOrTokenExpired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthInvalidProblem"] | components["schemas"]["AuthRequiredProblem"] | components["schemas"]["TokenExpiredProblem"];
            };
        };
        /** @description `RANGE_NOT_SATISFIABLE`: The range lies outside the content. */
        RangeNotSatisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RangeNotSatisfiableProblem"];
            };
        };
        /**
         * @description `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running.
         *
         *     `VERSION_EXISTS`: This version was published with other bytes.
         *
         *     `VERSION_YANKED`: This version was yanked.
         */
        IdempotencyConflictOrVersionExistsOrVersionYanked: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictProblem"] | components["schemas"]["VersionExistsProblem"] | components["schemas"]["VersionYankedProblem"];
            };
        };
        /**
         * @description `IDEMPOTENCY_CONFLICT`: A call with this Idempotency-Key is still running.
         *
         *     `VERSION_YANKED`: This version was yanked.
         */
        IdempotencyConflictOrVersionYanked: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictProblem"] | components["schemas"]["VersionYankedProblem"];
            };
        };
    };
    parameters: {
        /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names this call in the hub's log. A caller's own is kept when it has 8 to 64 of `A-Za-z0-9_-` */
        "X-Request-Id": string;
        /** @description What is left of each limit: `"key";r=119;t=60` (IETF draft). The binding one comes first */
        RateLimit: string;
        /** @description Each limit of this call: `"key";q=120;w=60`. Policies: `key`, `ip`, `month` */
        "RateLimit-Policy": string;
        /** @description Seconds after which a further call is worth it */
        "Retry-After": number;
        /** @description The same in milliseconds, where many callers are each given a time of their own */
        "Retry-After-Ms": number;
        /** @description What is wrong with the credential (RFC 6750, RFC 9470) */
        "WWW-Authenticate": string;
        /** @description `true`: the stored outcome of an earlier call with this Idempotency-Key */
        "Idempotency-Replayed": string;
        /** @description Names this content; send it as If-None-Match, or with a change as If-Match where the operation takes it */
        ETag: string;
        /** @description How long the answer may be kept */
        "Cache-Control": string;
        /** @description `bytes`: ranges are served */
        "Accept-Ranges": string;
        /** @description Which bytes these are, and of how many */
        "Content-Range": string;
        /** @description `attachment`, with the name to store it under */
        "Content-Disposition": string;
        /** @description The SHA-256 of the whole content (RFC 9530) */
        "Repr-Digest": string;
        /** @description `<…>; rel="next"`: the next page, where there is one */
        Link: string;
        /** @description Where the browser goes next, or where the command and its result are */
        Location: string;
        /** @description `respond-async`: the answer does not wait for the daemon's */
        "Preference-Applied": string;
        /** @description The cookie of this sign-in; the callback removes it */
        "Set-Cookie": string;
        /** @description The request headers that the answer depends on */
        Vary: string;
        /** @description `no`: a proxy must pass events on at once */
        "X-Accel-Buffering": string;
    };
    pathItems: never;
}
export type StreamedEvent = components['schemas']['StreamedEvent'];
export type LogEvent = components['schemas']['LogEvent'];
export type DaemonConnectEvent = components['schemas']['DaemonConnectEvent'];
export type DaemonDisconnectEvent = components['schemas']['DaemonDisconnectEvent'];
export type AgentStatusEvent = components['schemas']['AgentStatusEvent'];
export type AgentGeneratingStartedEvent = components['schemas']['AgentGeneratingStartedEvent'];
export type AgentGeneratingCompletedEvent = components['schemas']['AgentGeneratingCompletedEvent'];
export type AgentWaitingApprovalEvent = components['schemas']['AgentWaitingApprovalEvent'];
export type AgentWaitingChoiceEvent = components['schemas']['AgentWaitingChoiceEvent'];
export type AgentStoppedEvent = components['schemas']['AgentStoppedEvent'];
export type MonitorNoProgressEvent = components['schemas']['MonitorNoProgressEvent'];
export type CommandCompletedEvent = components['schemas']['CommandCompletedEvent'];
export type ApprovalRequestedEvent = components['schemas']['ApprovalRequestedEvent'];
export type ApprovalResolvedEvent = components['schemas']['ApprovalResolvedEvent'];
export type JobCompletedEvent = components['schemas']['JobCompletedEvent'];
export type DaemonIdentityCopiedEvent = components['schemas']['DaemonIdentityCopiedEvent'];
export type JobProgressEvent = components['schemas']['JobProgressEvent'];
export type WebhookTestEvent = components['schemas']['WebhookTestEvent'];
export type WebhookTestPayload = components['schemas']['WebhookTestPayload'];
export type JobProgressPayload = components['schemas']['JobProgressPayload'];
export type TargetCounts = components['schemas']['TargetCounts'];
export type DaemonIdentityCopiedPayload = components['schemas']['DaemonIdentityCopiedPayload'];
export type JobCompletedPayload = components['schemas']['JobCompletedPayload'];
export type ApprovalResolvedPayload = components['schemas']['ApprovalResolvedPayload'];
export type ApprovalRequestedPayload = components['schemas']['ApprovalRequestedPayload'];
export type CommandCompletedPayload = components['schemas']['CommandCompletedPayload'];
export type MonitorNoProgressPayload = components['schemas']['MonitorNoProgressPayload'];
export type AgentStoppedPayload = components['schemas']['AgentStoppedPayload'];
export type AgentWaitingChoicePayload = components['schemas']['AgentWaitingChoicePayload'];
export type AgentWaitingApprovalPayload = components['schemas']['AgentWaitingApprovalPayload'];
export type AgentGeneratingCompletedPayload = components['schemas']['AgentGeneratingCompletedPayload'];
export type AgentGeneratingStartedPayload = components['schemas']['AgentGeneratingStartedPayload'];
export type AgentStatusPayload = components['schemas']['AgentStatusPayload'];
export type AgentChange = components['schemas']['AgentChange'];
export type AgentState = components['schemas']['AgentState'];
export type DaemonDisconnectPayload = components['schemas']['DaemonDisconnectPayload'];
export type DaemonConnectPayload = components['schemas']['DaemonConnectPayload'];
export type NotFoundProblem = components['schemas']['NotFoundProblem'];
export type OutcomeNotKeptProblem = components['schemas']['OutcomeNotKeptProblem'];
export type IdempotencyMismatchProblem = components['schemas']['IdempotencyMismatchProblem'];
export type IdempotencyConflictProblem = components['schemas']['IdempotencyConflictProblem'];
export type OutcomeUnknownProblem = components['schemas']['OutcomeUnknownProblem'];
export type OverloadedProblem = components['schemas']['OverloadedProblem'];
export type ValidationFailedProblem = components['schemas']['ValidationFailedProblem'];
export type RecentLoginRequiredProblem = components['schemas']['RecentLoginRequiredProblem'];
export type RoleTooLowProblem = components['schemas']['RoleTooLowProblem'];
export type AuthForbiddenProblem = components['schemas']['AuthForbiddenProblem'];
export type AuthInvalidProblem = components['schemas']['AuthInvalidProblem'];
export type AuthRequiredProblem = components['schemas']['AuthRequiredProblem'];
export type StoreFailedProblem = components['schemas']['StoreFailedProblem'];
export type IdempotencyLimitReachedProblem = components['schemas']['IdempotencyLimitReachedProblem'];
export type RateLimitedProblem = components['schemas']['RateLimitedProblem'];
export type AdminDisconnected = components['schemas']['AdminDisconnected'];
export type AdminDaemonRecord = components['schemas']['AdminDaemonRecord'];
export type DaemonMisfit = components['schemas']['DaemonMisfit'];
export type DaemonAccount = components['schemas']['DaemonAccount'];
export type AdminDaemonList = components['schemas']['AdminDaemonList'];
export type AdminDaemon = components['schemas']['AdminDaemon'];
export type ApiLimitExceededProblem = components['schemas']['ApiLimitExceededProblem'];
export type Restored = components['schemas']['Restored'];
export type Yanked = components['schemas']['Yanked'];
export type VersionYankedProblem = components['schemas']['VersionYankedProblem'];
export type PayloadTooLargeProblem = components['schemas']['PayloadTooLargeProblem'];
export type Promoted = components['schemas']['Promoted'];
export type Promotion = components['schemas']['Promotion'];
export type VersionExistsProblem = components['schemas']['VersionExistsProblem'];
export type Published = components['schemas']['Published'];
export type Publication = components['schemas']['Publication'];
export type RangeNotSatisfiableProblem = components['schemas']['RangeNotSatisfiableProblem'];
export type Package = components['schemas']['Package'];
export type PackageVersions = components['schemas']['PackageVersions'];
export type PackageList = components['schemas']['PackageList'];
export type TokenExpiredProblem = components['schemas']['TokenExpiredProblem'];
export type TurnCredentials = components['schemas']['TurnCredentials'];
export type IceServer = components['schemas']['IceServer'];
export type ListenSecret = components['schemas']['ListenSecret'];
export type Recovered = components['schemas']['Recovered'];
export type Recovery = components['schemas']['Recovery'];
export type RetriedDelivery = components['schemas']['RetriedDelivery'];
export type RotatedWebhook = components['schemas']['RotatedWebhook'];
export type TestedWebhook = components['schemas']['TestedWebhook'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryRequest = components['schemas']['DeliveryRequest'];
export type DeliveryList = components['schemas']['DeliveryList'];
export type RemovedWebhook = components['schemas']['RemovedWebhook'];
export type ChangedWebhook = components['schemas']['ChangedWebhook'];
export type WebhookChange = components['schemas']['WebhookChange'];
export type WebhookLimitReachedProblem = components['schemas']['WebhookLimitReachedProblem'];
export type CreatedWebhook = components['schemas']['CreatedWebhook'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type WebhookList = components['schemas']['WebhookList'];
export type Webhook = components['schemas']['Webhook'];
export type DaemonLacksFeatureProblem = components['schemas']['DaemonLacksFeatureProblem'];
export type DaemonOfflineProblem = components['schemas']['DaemonOfflineProblem'];
export type CommandTimeoutProblem = components['schemas']['CommandTimeoutProblem'];
export type DaemonSocketLostProblem = components['schemas']['DaemonSocketLostProblem'];
export type LogPage = components['schemas']['LogPage'];
export type Job = components['schemas']['Job'];
export type JobLeftOut = components['schemas']['JobLeftOut'];
export type JobMaker = components['schemas']['JobMaker'];
export type JobRollout = components['schemas']['JobRollout'];
export type JobStep = components['schemas']['JobStep'];
export type JobState = components['schemas']['JobState'];
export type JobLimitReachedProblem = components['schemas']['JobLimitReachedProblem'];
export type JobRetryAsked = components['schemas']['JobRetryAsked'];
export type JobResultList = components['schemas']['JobResultList'];
export type JobResult = components['schemas']['JobResult'];
export type OutputEnds = components['schemas']['OutputEnds'];
export type JobTargetState = components['schemas']['JobTargetState'];
export type JobTargetList = components['schemas']['JobTargetList'];
export type JobTarget = components['schemas']['JobTarget'];
export type JobList = components['schemas']['JobList'];
export type JobRecord = components['schemas']['JobRecord'];
export type JobAsked = components['schemas']['JobAsked'];
export type CommandNotCancellableProblem = components['schemas']['CommandNotCancellableProblem'];
export type CommandRecord = components['schemas']['CommandRecord'];
export type CommandState = components['schemas']['CommandState'];
export type EndedCommand = components['schemas']['EndedCommand'];
export type StoredCommand = components['schemas']['StoredCommand'];
export type CommandList = components['schemas']['CommandList'];
export type AlreadyResolvedProblem = components['schemas']['AlreadyResolvedProblem'];
export type PromptChangedProblem = components['schemas']['PromptChangedProblem'];
export type ApprovalAnswered = components['schemas']['ApprovalAnswered'];
export type Refusal = components['schemas']['Refusal'];
export type ResolvedApproval = components['schemas']['ResolvedApproval'];
export type ApprovalAnswer = components['schemas']['ApprovalAnswer'];
export type ApprovalList = components['schemas']['ApprovalList'];
export type PendingApproval = components['schemas']['PendingApproval'];
export type AgentStatus = components['schemas']['AgentStatus'];
export type Modal = components['schemas']['Modal'];
export type Workspace = components['schemas']['Workspace'];
export type AmbiguousTargetProblem = components['schemas']['AmbiguousTargetProblem'];
export type CommandAnswer = components['schemas']['CommandAnswer'];
export type CommandDone = components['schemas']['CommandDone'];
export type Interrupt = components['schemas']['Interrupt'];
export type Approval = components['schemas']['Approval'];
export type DebugBundleAnswer = components['schemas']['DebugBundleAnswer'];
export type DebugBundle = components['schemas']['DebugBundle'];
export type DebugRequest = components['schemas']['DebugRequest'];
export type ChatAnswer = components['schemas']['ChatAnswer'];
export type Chat = components['schemas']['Chat'];
export type ChatSent = components['schemas']['ChatSent'];
export type ChatTaken = components['schemas']['ChatTaken'];
export type ChatInput = components['schemas']['ChatInput'];
export type ChatPart = components['schemas']['ChatPart'];
export type Stop = components['schemas']['Stop'];
export type CommandLimitReachedProblem = components['schemas']['CommandLimitReachedProblem'];
export type Launch = components['schemas']['Launch'];
export type DaemonLimitReachedProblem = components['schemas']['DaemonLimitReachedProblem'];
export type AccountDisabledProblem = components['schemas']['AccountDisabledProblem'];
export type Joined = components['schemas']['Joined'];
export type JoiningDaemon = components['schemas']['JoiningDaemon'];
export type RemovedJoinKey = components['schemas']['RemovedJoinKey'];
export type JoinKeyLimitReachedProblem = components['schemas']['JoinKeyLimitReachedProblem'];
export type CreatedJoinKey = components['schemas']['CreatedJoinKey'];
export type NewJoinKey = components['schemas']['NewJoinKey'];
export type JoinKeyList = components['schemas']['JoinKeyList'];
export type JoinKey = components['schemas']['JoinKey'];
export type TaggedFleet = components['schemas']['TaggedFleet'];
export type TagChanges = components['schemas']['TagChanges'];
export type NewTags = components['schemas']['NewTags'];
export type TaggedDaemon = components['schemas']['TaggedDaemon'];
export type PushAnswer = components['schemas']['PushAnswer'];
export type RemovedPushSubscription = components['schemas']['RemovedPushSubscription'];
export type PushSubscriptionLimitReachedProblem = components['schemas']['PushSubscriptionLimitReachedProblem'];
export type PushSubscription = components['schemas']['PushSubscription'];
export type NewPushSubscription = components['schemas']['NewPushSubscription'];
export type PushSubscriptionList = components['schemas']['PushSubscriptionList'];
export type PolicyVerdict = components['schemas']['PolicyVerdict'];
export type PolicyCase = components['schemas']['PolicyCase'];
export type NewPolicyRule = components['schemas']['NewPolicyRule'];
export type PreconditionFailedProblem = components['schemas']['PreconditionFailedProblem'];
export type RemovedPolicy = components['schemas']['RemovedPolicy'];
export type PolicyLimitReachedProblem = components['schemas']['PolicyLimitReachedProblem'];
export type Policy = components['schemas']['Policy'];
export type PolicyRule = components['schemas']['PolicyRule'];
export type NewPolicy = components['schemas']['NewPolicy'];
export type PolicyList = components['schemas']['PolicyList'];
export type RemovedVersionPolicy = components['schemas']['RemovedVersionPolicy'];
export type VersionPolicy = components['schemas']['VersionPolicy'];
export type NewVersionPolicy = components['schemas']['NewVersionPolicy'];
export type VersionProgress = components['schemas']['VersionProgress'];
export type VersionPolicyList = components['schemas']['VersionPolicyList'];
export type Enrolled = components['schemas']['Enrolled'];
export type Enrollment = components['schemas']['Enrollment'];
export type DaemonOnlineProblem = components['schemas']['DaemonOnlineProblem'];
export type RemovedDaemon = components['schemas']['RemovedDaemon'];
export type Disconnected = components['schemas']['Disconnected'];
export type TerminalAnswer = components['schemas']['TerminalAnswer'];
export type TerminalDone = components['schemas']['TerminalDone'];
export type TerminalCommand = components['schemas']['TerminalCommand'];
export type RawCommand = components['schemas']['RawCommand'];
export type DaemonStatus = components['schemas']['DaemonStatus'];
export type DaemonProblem = components['schemas']['DaemonProblem'];
export type DaemonLastEnd = components['schemas']['DaemonLastEnd'];
export type MachineHealth = components['schemas']['MachineHealth'];
export type Provider = components['schemas']['Provider'];
export type Agent = components['schemas']['Agent'];
export type Session = components['schemas']['Session'];
export type DaemonUpdate = components['schemas']['DaemonUpdate'];
export type AcpTarget = components['schemas']['AcpTarget'];
export type CliTarget = components['schemas']['CliTarget'];
export type IdeTarget = components['schemas']['IdeTarget'];
export type DaemonList = components['schemas']['DaemonList'];
export type Daemon = components['schemas']['Daemon'];
export type AuditList = components['schemas']['AuditList'];
export type AuditEvent = components['schemas']['AuditEvent'];
export type AuditActor = components['schemas']['AuditActor'];
export type RequestList = components['schemas']['RequestList'];
export type LoggedRequest = components['schemas']['LoggedRequest'];
export type CredentialOwner = components['schemas']['CredentialOwner'];
export type LoggedCredential = components['schemas']['LoggedCredential'];
export type LoggedSession = components['schemas']['LoggedSession'];
export type LoggedGrant = components['schemas']['LoggedGrant'];
export type LoggedKey = components['schemas']['LoggedKey'];
export type ServiceKeyLimitReachedProblem = components['schemas']['ServiceKeyLimitReachedProblem'];
export type ApiKeyLimitReachedProblem = components['schemas']['ApiKeyLimitReachedProblem'];
export type CreatedApiKey = components['schemas']['CreatedApiKey'];
export type KeyOwner = components['schemas']['KeyOwner'];
export type NewServiceAccountKey = components['schemas']['NewServiceAccountKey'];
export type RemovedServiceAccount = components['schemas']['RemovedServiceAccount'];
export type ServiceAccount = components['schemas']['ServiceAccount'];
export type ServiceAccountKey = components['schemas']['ServiceAccountKey'];
export type ServiceAccountChange = components['schemas']['ServiceAccountChange'];
export type ServiceAccountLimitReachedProblem = components['schemas']['ServiceAccountLimitReachedProblem'];
export type NewServiceAccount = components['schemas']['NewServiceAccount'];
export type ServiceAccountList = components['schemas']['ServiceAccountList'];
export type PeopleLimitReachedProblem = components['schemas']['PeopleLimitReachedProblem'];
export type AlreadyMemberProblem = components['schemas']['AlreadyMemberProblem'];
export type Accepted = components['schemas']['Accepted'];
export type Acceptance = components['schemas']['Acceptance'];
export type ShownInvitation = components['schemas']['ShownInvitation'];
export type InvitationToken = components['schemas']['InvitationToken'];
export type RemovedInvitation = components['schemas']['RemovedInvitation'];
export type InvitationLimitReachedProblem = components['schemas']['InvitationLimitReachedProblem'];
export type CreatedInvitation = components['schemas']['CreatedInvitation'];
export type NewInvitation = components['schemas']['NewInvitation'];
export type InvitationList = components['schemas']['InvitationList'];
export type Invitation = components['schemas']['Invitation'];
export type LastOwnerProblem = components['schemas']['LastOwnerProblem'];
export type RemovedMember = components['schemas']['RemovedMember'];
export type Member = components['schemas']['Member'];
export type MemberChange = components['schemas']['MemberChange'];
export type MemberList = components['schemas']['MemberList'];
export type AuthorizationRefusedProblem = components['schemas']['AuthorizationRefusedProblem'];
export type AppDecided = components['schemas']['AppDecided'];
export type AppRequest = components['schemas']['AppRequest'];
export type ConnectedAppLimitReachedProblem = components['schemas']['ConnectedAppLimitReachedProblem'];
export type AppApproval = components['schemas']['AppApproval'];
export type ShownAppRequest = components['schemas']['ShownAppRequest'];
export type ScopeInWords = components['schemas']['ScopeInWords'];
export type DisconnectedApp = components['schemas']['DisconnectedApp'];
export type ConnectedAppList = components['schemas']['ConnectedAppList'];
export type ConnectedApp = components['schemas']['ConnectedApp'];
export type RevokedApiKey = components['schemas']['RevokedApiKey'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type ApiKeyList = components['schemas']['ApiKeyList'];
export type ApiKey = components['schemas']['ApiKey'];
export type Usage = components['schemas']['Usage'];
export type Me = components['schemas']['Me'];
export type Limits = components['schemas']['Limits'];
export type Volume = components['schemas']['Volume'];
export type Held = components['schemas']['Held'];
export type RateWindow = components['schemas']['RateWindow'];
export type Credential = components['schemas']['Credential'];
export type SessionCredential = components['schemas']['SessionCredential'];
export type GrantCredential = components['schemas']['GrantCredential'];
export type KeyCredential = components['schemas']['KeyCredential'];
export type Membership = components['schemas']['Membership'];
export type Account = components['schemas']['Account'];
export type DeviceDecided = components['schemas']['DeviceDecided'];
export type UserCode = components['schemas']['UserCode'];
export type DeviceApproval = components['schemas']['DeviceApproval'];
export type WaitingDevice = components['schemas']['WaitingDevice'];
export type AccessDeniedProblem = components['schemas']['AccessDeniedProblem'];
export type ExpiredTokenProblem = components['schemas']['ExpiredTokenProblem'];
export type SlowDownProblem = components['schemas']['SlowDownProblem'];
export type AuthorizationPendingProblem = components['schemas']['AuthorizationPendingProblem'];
export type DeviceApiKey = components['schemas']['DeviceApiKey'];
export type DevicePoll = components['schemas']['DevicePoll'];
export type BegunDevice = components['schemas']['BegunDevice'];
export type NewDevice = components['schemas']['NewDevice'];
export type OthersSignedOut = components['schemas']['OthersSignedOut'];
export type NewPassword = components['schemas']['NewPassword'];
export type SignedIn = components['schemas']['SignedIn'];
export type Person = components['schemas']['Person'];
export type Switch = components['schemas']['Switch'];
export type SignedOut = components['schemas']['SignedOut'];
export type Exchange = components['schemas']['Exchange'];
export type Login = components['schemas']['Login'];
export type Readiness = components['schemas']['Readiness'];
export type Alive = components['schemas']['Alive'];
export type ResponseStoreFailedUnlimited = components['responses']['StoreFailedUnlimited'];
export type ResponseNotFoundUnlimited = components['responses']['NotFoundUnlimited'];
export type ResponseRateLimitedUnlimited = components['responses']['RateLimitedUnlimited'];
export type ResponseOverloadedUnlimited = components['responses']['OverloadedUnlimited'];
export type ResponseValidationFailed = components['responses']['ValidationFailed'];
export type ResponseAuthInvalid = components['responses']['AuthInvalid'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseStoreFailed = components['responses']['StoreFailed'];
export type ResponseOverloaded = components['responses']['Overloaded'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseAuthInvalidOrAuthRequired = components['responses']['AuthInvalidOrAuthRequired'];
export type ResponseAuthForbiddenOrRoleTooLow = components['responses']['AuthForbiddenOrRoleTooLow'];
export type ResponseAuthForbiddenOrRecentLoginRequiredOrRoleTooLow = components['responses']['AuthForbiddenOrRecentLoginRequiredOrRoleTooLow'];
export type ResponseAuthForbidden = components['responses']['AuthForbidden'];
export type ResponseAccessDeniedOrAuthorizationPendingOrExpiredTokenOrSlowDownOrValidationFailed = components['responses']['AccessDeniedOrAuthorizationPendingOrExpiredTokenOrSlowDownOrValidationFailed'];
export type ResponseApiKeyLimitReachedOrAuthForbidden = components['responses']['ApiKeyLimitReachedOrAuthForbidden'];
export type ResponseApiLimitExceededOrRateLimited = components['responses']['ApiLimitExceededOrRateLimited'];
export type ResponseApiKeyLimitReachedOrAuthForbiddenOrRecentLoginRequiredOrRoleTooLow = components['responses']['ApiKeyLimitReachedOrAuthForbiddenOrRecentLoginRequiredOrRoleTooLow'];
export type ResponseIdempotencyConflict = components['responses']['IdempotencyConflict'];
export type ResponseOutcomeNotKept = components['responses']['OutcomeNotKept'];
export type ResponseIdempotencyMismatch = components['responses']['IdempotencyMismatch'];
export type ResponseIdempotencyLimitReachedOrRateLimited = components['responses']['IdempotencyLimitReachedOrRateLimited'];
export type ResponseOutcomeUnknownOrOverloaded = components['responses']['OutcomeUnknownOrOverloaded'];
export type ResponseAuthorizationRefusedOrValidationFailed = components['responses']['AuthorizationRefusedOrValidationFailed'];
export type ResponseAuthForbiddenOrConnectedAppLimitReachedOrRecentLoginRequiredOrRoleTooLow = components['responses']['AuthForbiddenOrConnectedAppLimitReachedOrRecentLoginRequiredOrRoleTooLow'];
export type ResponseLastOwner = components['responses']['LastOwner'];
export type ResponseAuthForbiddenOrInvitationLimitReachedOrPeopleLimitReachedOrRecentLoginRequiredOrRoleTooLow = components['responses']['AuthForbiddenOrInvitationLimitReachedOrPeopleLimitReachedOrRecentLoginRequiredOrRoleTooLow'];
export type ResponseAlreadyMemberOrIdempotencyConflict = components['responses']['AlreadyMemberOrIdempotencyConflict'];
export type ResponseAuthRequired = components['responses']['AuthRequired'];
export type ResponsePeopleLimitReached = components['responses']['PeopleLimitReached'];
export type ResponseAlreadyMember = components['responses']['AlreadyMember'];
export type ResponseAuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrServiceAccountLimitReached = components['responses']['AuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrServiceAccountLimitReached'];
export type ResponseIdempotencyConflictOrServiceKeyLimitReached = components['responses']['IdempotencyConflictOrServiceKeyLimitReached'];
export type ResponseAmbiguousTargetOrValidationFailed = components['responses']['AmbiguousTargetOrValidationFailed'];
export type ResponseIdempotencyConflictOrPromptChanged = components['responses']['IdempotencyConflictOrPromptChanged'];
export type ResponseApiLimitExceededOrCommandLimitReachedOrIdempotencyLimitReachedOrRateLimited = components['responses']['ApiLimitExceededOrCommandLimitReachedOrIdempotencyLimitReachedOrRateLimited'];
export type ResponseDaemonOfflineOrStoreFailed = components['responses']['DaemonOfflineOrStoreFailed'];
export type ResponseDaemonSocketLostOrOutcomeUnknownOrOverloaded = components['responses']['DaemonSocketLostOrOutcomeUnknownOrOverloaded'];
export type ResponseCommandTimeout = components['responses']['CommandTimeout'];
export type ResponseDaemonOnline = components['responses']['DaemonOnline'];
export type ResponseDaemonSocketLostOrOverloaded = components['responses']['DaemonSocketLostOrOverloaded'];
export type ResponseAuthForbiddenOrDaemonLimitReachedOrRecentLoginRequiredOrRoleTooLow = components['responses']['AuthForbiddenOrDaemonLimitReachedOrRecentLoginRequiredOrRoleTooLow'];
export type ResponseAuthForbiddenOrPolicyLimitReachedOrRecentLoginRequiredOrRoleTooLow = components['responses']['AuthForbiddenOrPolicyLimitReachedOrRecentLoginRequiredOrRoleTooLow'];
export type ResponsePreconditionFailed = components['responses']['PreconditionFailed'];
export type ResponseAuthForbiddenOrPushSubscriptionLimitReachedOrRoleTooLow = components['responses']['AuthForbiddenOrPushSubscriptionLimitReachedOrRoleTooLow'];
export type ResponseRoleTooLow = components['responses']['RoleTooLow'];
export type ResponseAlreadyResolvedOrPromptChanged = components['responses']['AlreadyResolvedOrPromptChanged'];
export type ResponseAuthForbiddenOrJoinKeyLimitReachedOrRecentLoginRequiredOrRoleTooLow = components['responses']['AuthForbiddenOrJoinKeyLimitReachedOrRecentLoginRequiredOrRoleTooLow'];
export type ResponseAccountDisabledOrDaemonLimitReached = components['responses']['AccountDisabledOrDaemonLimitReached'];
export type ResponseApiLimitExceededOrIdempotencyLimitReachedOrRateLimited = components['responses']['ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited'];
export type ResponseAlreadyResolvedOrIdempotencyConflictOrPromptChanged = components['responses']['AlreadyResolvedOrIdempotencyConflictOrPromptChanged'];
export type ResponseCommandNotCancellableOrIdempotencyConflict = components['responses']['CommandNotCancellableOrIdempotencyConflict'];
export type ResponseDaemonLacksFeature = components['responses']['DaemonLacksFeature'];
export type ResponseApiLimitExceededOrIdempotencyLimitReachedOrJobLimitReachedOrRateLimited = components['responses']['ApiLimitExceededOrIdempotencyLimitReachedOrJobLimitReachedOrRateLimited'];
export type ResponseAuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrWebhookLimitReached = components['responses']['AuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrWebhookLimitReached'];
export type ResponseAuthInvalidOrAuthRequiredOrTokenExpired = components['responses']['AuthInvalidOrAuthRequiredOrTokenExpired'];
export type ResponseRangeNotSatisfiable = components['responses']['RangeNotSatisfiable'];
export type ResponseIdempotencyConflictOrVersionExistsOrVersionYanked = components['responses']['IdempotencyConflictOrVersionExistsOrVersionYanked'];
export type ResponseIdempotencyConflictOrVersionYanked = components['responses']['IdempotencyConflictOrVersionYanked'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderRateLimit = components['headers']['RateLimit'];
export type HeaderRateLimitPolicy = components['headers']['RateLimit-Policy'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderRetryAfterMs = components['headers']['Retry-After-Ms'];
export type HeaderWwwAuthenticate = components['headers']['WWW-Authenticate'];
export type HeaderIdempotencyReplayed = components['headers']['Idempotency-Replayed'];
export type HeaderETag = components['headers']['ETag'];
export type HeaderCacheControl = components['headers']['Cache-Control'];
export type HeaderAcceptRanges = components['headers']['Accept-Ranges'];
export type HeaderContentRange = components['headers']['Content-Range'];
export type HeaderContentDisposition = components['headers']['Content-Disposition'];
export type HeaderReprDigest = components['headers']['Repr-Digest'];
export type HeaderLink = components['headers']['Link'];
export type HeaderLocation = components['headers']['Location'];
export type HeaderPreferenceApplied = components['headers']['Preference-Applied'];
export type HeaderSetCookie = components['headers']['Set-Cookie'];
export type HeaderVary = components['headers']['Vary'];
export type HeaderXAccelBuffering = components['headers']['X-Accel-Buffering'];
export type $defs = Record<string, never>;
export interface operations {
    "system.health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            500: components["responses"]["StoreFailedUnlimited"];
        };
    };
    "system.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            500: components["responses"]["StoreFailedUnlimited"];
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    "system.metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            404: components["responses"]["NotFoundUnlimited"];
            429: components["responses"]["RateLimitedUnlimited"];
            500: components["responses"]["StoreFailedUnlimited"];
            503: components["responses"]["OverloadedUnlimited"];
        };
    };
    "auth.begin": {
        parameters: {
            query?: {
                /** @description SHA-256, in base64url, of a random verifier of 43 to 128 characters that the dashboard keeps for the exchange. Needed, unless HUB_SIGN_IN_CHALLENGE says otherwise */
                challenge?: string | "";
            };
            header?: never;
            path?: never;
            cookie?: {
                /** @description The cookies of sign-ins begun before */
                hub_sign_in?: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description Found */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "auth.login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalid"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "auth.callback": {
        parameters: {
            query: {
                /** @description Of the sign-in that began */
                state: string;
                /** @description The provider's code, where the sign-in succeeded */
                code?: string;
                /** @description The provider */
                iss?: string;
                /** @description Of the provider; not read */
                session_state?: string;
                /** @description The provider's error code, where the sign-in failed */
                error?: string;
                /** @description The provider's words for it */
                error_description?: string;
            };
            header?: never;
            path?: never;
            cookie?: {
                /** @description The cookie that the beginning of the sign-in set. Its name ends in a part of its own */
                hub_sign_in?: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description Found */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "auth.exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Exchange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalid"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "auth.refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "auth.logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "auth.logoutOthers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OthersSignedOut"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "auth.switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Switch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "auth.setPassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OthersSignedOut"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "deviceCodes.begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDevice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunDevice"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            403: components["responses"]["AuthForbidden"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "deviceCodes.token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DevicePoll"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceApiKey"];
                };
            };
            400: components["responses"]["AccessDeniedOrAuthorizationPendingOrExpiredTokenOrSlowDownOrValidationFailed"];
            403: components["responses"]["ApiKeyLimitReachedOrAuthForbidden"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "deviceCodes.show": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCode"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitingDevice"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "deviceCodes.approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceApproval"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceDecided"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "deviceCodes.deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCode"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceDecided"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "account.me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "account.usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "keys.list": {
        parameters: {
            query?: {
                /** @description 1 to 1000, which it is when absent; a larger one counts as 1000 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "keys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["ApiKeyLimitReachedOrAuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "keys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an API key of this account */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedApiKey"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "connectedApps.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectedAppList"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "connectedApps.disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the app */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisconnectedApp"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "connectedApps.show": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownAppRequest"];
                };
            };
            400: components["responses"]["AuthorizationRefusedOrValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "connectedApps.approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppApproval"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppDecided"];
                };
            };
            400: components["responses"]["AuthorizationRefusedOrValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrConnectedAppLimitReachedOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "connectedApps.deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppDecided"];
                };
            };
            400: components["responses"]["AuthorizationRefusedOrValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "members.list": {
        parameters: {
            query?: {
                /** @description 1 to 200, which it is when absent; a larger one counts as 200 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "members.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a person who is a member */
                personId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedMember"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["LastOwner"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "members.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a person who is a member */
                personId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MemberChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["LastOwner"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "members.invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "members.invite": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInvitation"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrInvitationLimitReachedOrPeopleLimitReachedOrRecentLoginRequiredOrRoleTooLow"];
            409: components["responses"]["AlreadyMemberOrIdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "members.uninvite": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an invitation of this account */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedInvitation"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "members.showInvitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationToken"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownInvitation"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "members.accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Acceptance"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthRequired"];
            403: components["responses"]["PeopleLimitReached"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AlreadyMember"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "serviceAccounts.list": {
        parameters: {
            query?: {
                /** @description 1 to 1000, which it is when absent; a larger one counts as 1000 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "serviceAccounts.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServiceAccount"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrServiceAccountLimitReached"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "serviceAccounts.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a service account of this account */
                serviceAccountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedServiceAccount"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "serviceAccounts.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a service account of this account */
                serviceAccountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceAccountChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "serviceAccounts.createKey": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a service account of this account */
                serviceAccountId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewServiceAccountKey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["ApiKeyLimitReachedOrAuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrServiceKeyLimitReached"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "requests.list": {
        parameters: {
            query?: {
                /** @description A status, a class of them (`4xx`), or `none`: the caller left before the answer */
                status?: string;
                /** @description Only of this method */
                method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
                /** @description The `reason` of an error: `RATE_LIMITED` */
                reason?: string;
                /** @description The id of an API key or a connected app, or `session`: of dashboard sessions */
                key?: string;
                /** @description The operation: `daemons.status` */
                operation?: string;
                /** @description What its path contains */
                pathContains?: string;
                /** @description Answered then or later, epoch milliseconds */
                since?: number;
                /** @description 1 to 1000, 50 when absent; a larger one counts as 1000 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "audit.list": {
        parameters: {
            query?: {
                /** @description What was done: `key.created` */
                action?: string;
                /** @description The id of an API key, a session, a person or a service account, or a kind of actor: `command_line`, `administrator` */
                actor?: string;
                /** @description The id of what was acted upon */
                object?: string;
                /** @description Only with this outcome */
                outcome?: "done" | "refused" | "failed";
                /** @description At this time or later, epoch milliseconds */
                since?: number;
                /** @description Before this time, epoch milliseconds */
                until?: number;
                /** @description 1 to 1000, 50 when absent; a larger one counts as 1000 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "daemons.list": {
        parameters: {
            query?: {
                /** @description Adds the daemons that are offline */
                include?: "offline";
                /** @description Only daemons with these tags: `env=prod,gpu,!spot,region!=eu`, all of them, at most 16 */
                selector?: string;
                /** @description Only daemons that have all these words, at most 8, in their host name, nickname, id, platform, version, tags (`env=prod`) or, while they are connected, agents */
                q?: string;
                /** @description Only those that are connected, or are not (which needs no `include`), or of which an agent waits for a person, generates, or has failed */
                status?: "online" | "offline" | "waiting" | "generating" | "error";
                /** @description Only those that stand so with the policy of versions that applies to them */
                update?: "current" | "pending" | "updating" | "failed" | "held";
                /** @description By host name, which it is when absent, by when they were seen, the last first, or by version */
                sort?: "name" | "lastSeen" | "version";
                /** @description 1 to 1000, for pages of that size; a larger one counts as 1000 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DaemonList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "daemons.status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DaemonStatus"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "daemons.command": {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async`: answered 202 once the command is sent; its result is kept for 24 hours */
                prefer?: string;
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RawCommand"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandAnswer"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandRecord"];
                };
            };
            400: components["responses"]["AmbiguousTargetOrValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrPromptChanged"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrCommandLimitReachedOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "daemons.terminal": {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async`: answered 202 once the command is sent; its result is kept for 24 hours */
                prefer?: string;
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TerminalCommand"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TerminalAnswer"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandRecord"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrCommandLimitReachedOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "daemons.disconnect": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Disconnected"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "daemons.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Disconnected"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "daemons.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedDaemon"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DaemonOnline"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOverloaded"];
        };
    };
    "daemons.tag": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTags"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaggedDaemon"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "tags.merge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagChanges"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaggedDaemon"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "daemons.enroll": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Enrollment"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enrolled"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrDaemonLimitReachedOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "daemonVersions.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionPolicyList"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "daemonVersions.show": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A name of your own: lower-case letters, digits, `-` and `_` */
                policyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionProgress"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "daemonVersions.set": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A name of your own: lower-case letters, digits, `-` and `_` */
                policyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewVersionPolicy"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionPolicy"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "daemonVersions.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A name of your own: lower-case letters, digits, `-` and `_` */
                policyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedVersionPolicy"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "policies.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyList"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "policies.show": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A name of your own: lower-case letters, digits, `-` and `_` */
                policyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "policies.set": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you changed; of another nothing is changed. `*`: of any that is there. Absent: also of none */
                "if-match"?: string;
                /** @description `*`: only where there is none yet */
                "if-none-match"?: string;
            };
            path: {
                /** @description A name of your own: lower-case letters, digits, `-` and `_` */
                policyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPolicy"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrPolicyLimitReachedOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "policies.remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you changed; of another nothing is changed. `*`: of any that is there. Absent: also of none */
                "if-match"?: string;
            };
            path: {
                /** @description A name of your own: lower-case letters, digits, `-` and `_` */
                policyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedPolicy"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "policies.evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A name of your own: lower-case letters, digits, `-` and `_` */
                policyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyCase"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVerdict"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "pushSubscriptions.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscriptionList"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "pushSubscriptions.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPushSubscription"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrPushSubscriptionLimitReachedOrRoleTooLow"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "pushSubscriptions.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a browser of who calls */
                pushSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedPushSubscription"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "pushSubscriptions.answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushAnswer"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalAnswered"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            403: components["responses"]["RoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AlreadyResolvedOrPromptChanged"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "tags.set": {
        parameters: {
            query: {
                /** @description Whose tags are changed (`env=prod,gpu`), at most 10000 daemons; it may not be empty */
                selector: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTags"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaggedFleet"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "tags.change": {
        parameters: {
            query: {
                /** @description Whose tags are changed (`env=prod,gpu`), at most 10000 daemons; it may not be empty */
                selector: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagChanges"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaggedFleet"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "joinKeys.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JoinKeyList"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "joinKeys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewJoinKey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedJoinKey"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrJoinKeyLimitReachedOrRecentLoginRequiredOrRoleTooLow"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "joinKeys.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a join key of this account */
                joinKeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedJoinKey"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "joinKeys.join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JoiningDaemon"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Joined"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AccountDisabledOrDaemonLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "shortcuts.launch": {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async`: answered 202 once the command is sent; its result is kept for 24 hours */
                prefer?: string;
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Launch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandAnswer"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandRecord"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrCommandLimitReachedOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.stop": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Stop"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandAnswer"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.read": {
        parameters: {
            query?: {
                /** @description Selects the agent in multi-agent IDEs; empty is absent */
                agentType?: string | "";
            };
            header?: never;
            path: {
                /** @description <daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most 1024 characters */
                ideId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatAnswer"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.send": {
        parameters: {
            query?: {
                /** @description Answer when the agent is `idle` again (or in error), or also when it waits for an `approval`; needs `agent:read` too */
                wait?: "idle" | "approval" | "";
                /** @description 1 to 50, 30 when left out; a larger one counts as 50 */
                timeoutSeconds?: number;
            };
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description <daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most 1024 characters */
                ideId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChatInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSent"];
                };
            };
            400: components["responses"]["AmbiguousTargetOrValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.debug": {
        parameters: {
            query?: {
                /** @description Selects the agent in multi-agent IDEs; empty is absent */
                agentType?: string | "";
            };
            header?: never;
            path: {
                /** @description <daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most 1024 characters */
                ideId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DebugBundleAnswer"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.debugWith": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description <daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most 1024 characters */
                ideId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DebugRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DebugBundleAnswer"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.approve": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description <daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most 1024 characters */
                ideId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Approval"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandAnswer"];
                };
            };
            400: components["responses"]["AmbiguousTargetOrValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrPromptChanged"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.interrupt": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description <daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most 1024 characters */
                ideId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Interrupt"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandAnswer"];
                };
            };
            400: components["responses"]["AmbiguousTargetOrValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "shortcuts.status": {
        parameters: {
            query?: {
                /** @description Selects the agent in multi-agent IDEs; empty is absent */
                agentType?: string | "";
                /** @description Answer once the status is another, or the time is over */
                waitFor?: "change" | "";
                /** @description The `version` of the status that was seen; left out: the one at the time of the call */
                since?: string | "";
                /** @description 1 to 50, 30 when left out; a larger one counts as 50 */
                timeoutSeconds?: number;
            };
            header?: never;
            path: {
                /** @description <daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most 1024 characters */
                ideId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentStatus"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "approvals.list": {
        parameters: {
            query?: {
                /** @description `pending`, which it is when absent */
                state?: "pending";
                /** @description Only daemons with these tags: `env=prod,gpu,!spot,region!=eu`, all of them, at most 16 */
                selector?: string;
                /** @description 1 to 100, 100 when absent; a larger one counts as 100 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "approvals.resolve": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The `approvalId` of the list or of an event */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApprovalAnswer"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalAnswered"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AlreadyResolvedOrIdempotencyConflictOrPromptChanged"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOutcomeUnknownOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "commands.list": {
        parameters: {
            query?: {
                /** @description Only those of this daemon */
                daemonId?: string;
                /** @description Only those in this state */
                state?: "pending" | "succeeded" | "failed" | "cancelled" | "timed_out" | "lost";
                /** @description 1 to 200, which it is when absent; a larger one counts as 200 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "commands.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a command of this account */
                commandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredCommand"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "commands.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a command of this account */
                commandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedCommand"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandRecord"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["CommandNotCancellableOrIdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "commands.output": {
        parameters: {
            query?: {
                /** @description Behind this place: an `id` of the stream or a `next`; `0` is the oldest event that is kept */
                after?: string;
                /** @description 1 to 500, 200 without one; a larger one counts as 500 */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of a command of this account */
                commandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DaemonLacksFeature"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "commands.outputStream": {
        parameters: {
            query?: {
                /** @description Behind this place: an `id` of the stream or a `next`; `0` is the oldest event that is kept */
                after?: string;
            };
            header?: {
                /** @description The id behind which to resume; wins over `after` */
                "last-event-id"?: string;
            };
            path: {
                /** @description Id of a command of this account */
                commandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LogEvent"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DaemonLacksFeature"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "jobs.list": {
        parameters: {
            query?: {
                /** @description Only those in this state */
                state?: "running" | "completed" | "aborted" | "cancelled" | "expired";
                /** @description 1 to 100, which it is when absent; a larger one counts as 100 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "jobs.start": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobAsked"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrJobLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "jobs.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job of this account */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "jobs.targets": {
        parameters: {
            query?: {
                /** @description Only those in this state */
                state?: "waiting" | "running" | "succeeded" | "failed" | "cancelled" | "timed_out" | "lost" | "expired" | "skipped";
                /** @description Only those whose command ended with this exit code; `nonzero`: with another than 0 */
                exitCode?: string;
                /** @description 1 to 1000, which it is when absent; a larger one counts as 1000 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of a job of this account */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobTargetList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "jobs.results": {
        parameters: {
            query?: {
                /** @description Only those in this state */
                state?: "waiting" | "running" | "succeeded" | "failed" | "cancelled" | "timed_out" | "lost" | "expired" | "skipped";
                /** @description Only those whose command ended with this exit code; `nonzero`: with another than 0 */
                exitCode?: string;
                /** @description 1 to 1000, which it is when absent; a larger one counts as 1000 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: {
                /** @description `application/x-ndjson`: one result a line */
                accept?: string;
            };
            path: {
                /** @description Id of a job of this account */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobResultList"];
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "jobs.retry": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a job of this account */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JobRetryAsked"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrJobLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "jobs.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a job of this account */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "sessions.events": {
        parameters: {
            query?: {
                /** @description Behind this place: an `id` of the stream or a `next`; `0` is the oldest event that is kept */
                after?: string;
                /** @description `false` leaves out the pieces of messages: whole messages only */
                deltas?: "true" | "false";
                /** @description 1 to 500, 200 without one; a larger one counts as 500 */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
                /** @description Id of a session, as the daemon's status and its target ids have it */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DaemonLacksFeature"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["DaemonSocketLostOrOverloaded"];
            504: components["responses"]["CommandTimeout"];
        };
    };
    "sessions.stream": {
        parameters: {
            query?: {
                /** @description Behind this place: an `id` of the stream or a `next`; `0` is the oldest event that is kept */
                after?: string;
                /** @description `false` leaves out the pieces of messages: whole messages only */
                deltas?: "true" | "false";
            };
            header?: {
                /** @description The id behind which to resume; wins over `after` */
                "last-event-id"?: string;
            };
            path: {
                /** @description Id of a daemon of this account */
                daemonId: string;
                /** @description Id of a session, as the daemon's status and its target ids have it */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LogEvent"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DaemonLacksFeature"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["DaemonOfflineOrStoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "webhooks.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLowOrWebhookLimitReached"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "webhooks.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedWebhook"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWebhook"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "webhooks.deliveries": {
        parameters: {
            query?: {
                /** @description 1 to 100, 20 when absent; a larger one counts as 100 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "webhooks.delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
                /** @description The `deliveryId` of an entry, not its `id` */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryRequest"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestedWebhook"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhook"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "webhooks.retry": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
                /** @description The `deliveryId` of an entry, not its `id` */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedDelivery"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "webhooks.recover": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a webhook of this account */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Recovery"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovered"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "events.stream": {
        parameters: {
            query?: {
                /** @description Only these events; `*` is all but `command:completed`, `daemon:identity_copied`, and those of jobs and approvals */
                event?: string[];
                /** @description Only events of these daemons */
                daemonId?: string[];
                /** @description Only daemons with these tags: `env=prod,gpu,!spot,region!=eu`, all of them, at most 16 */
                selector?: string;
            };
            header?: {
                /** @description The id after which to resume */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamedEvent"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "events.listenSecret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenSecret"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "turn.credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnCredentials"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequiredOrTokenExpired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "registry.list": {
        parameters: {
            query?: {
                /** @description `preview`; every other value is stable */
                channel?: string;
                /** @description 1 to 100, 50 when absent; a larger one counts as 100 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: {
                /** @description An ETag; where it still fits the answer is 304 */
                "if-none-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageList"];
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "registry.publish": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Publication"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Published"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Published"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            409: components["responses"]["IdempotencyConflictOrVersionExistsOrVersionYanked"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "registry.type": {
        parameters: {
            query?: {
                /** @description `preview`; every other value is stable */
                channel?: string;
            };
            header?: {
                /** @description An ETag; where it still fits the answer is 304 */
                "if-none-match"?: string;
            };
            path: {
                /** @description The provider's type */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageVersions"];
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "registry.version": {
        parameters: {
            query?: {
                /** @description `preview`; every other value is stable */
                channel?: string;
            };
            header?: {
                /** @description An ETag; where it still fits the answer is 304 */
                "if-none-match"?: string;
            };
            path: {
                /** @description The provider's type */
                type: string;
                /** @description SemVer 2.0, without build metadata */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Package"];
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "registry.yank": {
        parameters: {
            query?: {
                /** @description `preview`; every other value is stable */
                channel?: string;
            };
            header?: never;
            path: {
                /** @description The provider's type */
                type: string;
                /** @description SemVer 2.0, without build metadata */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Yanked"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["ApiLimitExceededOrRateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "registry.download": {
        parameters: {
            query?: {
                /** @description `preview`; every other value is stable */
                channel?: string;
            };
            header?: {
                /** @description An ETag; where it still fits the answer is 304 */
                "if-none-match"?: string;
                /** @description `bytes=0-99`; several ranges are served as a whole */
                range?: string;
                /** @description The range counts for this ETag only */
                "if-range"?: string;
            };
            path: {
                /** @description The provider's type */
                type: string;
                /** @description SemVer 2.0, without build metadata */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Partial Content */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["Overloaded"];
        };
    };
    "registry.promote": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The provider's type */
                type: string;
                /** @description SemVer 2.0, without build metadata */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Promotion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Promoted"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Promoted"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrVersionYanked"];
            410: components["responses"]["OutcomeNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "registry.restore": {
        parameters: {
            query?: {
                /** @description `preview`; every other value is stable */
                channel?: string;
            };
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The provider's type */
                type: string;
                /** @description SemVer 2.0, without build metadata */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["ApiLimitExceededOrIdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    "adminDaemons.list": {
        parameters: {
            query?: {
                /** @description Id or e-mail address of an account */
                account?: string;
                /** @description The version, whole */
                version?: string;
                /** @description Only those that are, or are not */
                online?: "true" | "false";
                /** @description Last seen then or later, epoch milliseconds; one that is online is seen now */
                seenSince?: number;
                /** @description Last seen before, epoch milliseconds; never one that is online or was never seen */
                seenBefore?: number;
                /** @description Why the last time online ended, whether it is back or not */
                closeReason?: "closed" | "timeout" | "disconnected" | "revoked" | "disabled";
                /** @description The code that its last connection closed with */
                closeCode?: number;
                /** @description Only those whose token two machines may have */
                identityCopied?: "true" | "false";
                /** @description 1 to 500, 100 when absent; a larger one counts as 500 */
                limit?: number;
                /** @description The `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminDaemonList"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "adminDaemons.show": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a daemon of any account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminDaemonRecord"];
                };
            };
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["StoreFailed"];
        };
    };
    "adminDaemons.disconnect": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a daemon of any account */
                daemonId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminDisconnected"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["AuthInvalidOrAuthRequired"];
            403: components["responses"]["AuthForbiddenOrRecentLoginRequiredOrRoleTooLow"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            410: components["responses"]["OutcomeNotKept"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["IdempotencyLimitReachedOrRateLimited"];
            500: components["responses"]["StoreFailed"];
            503: components["responses"]["OutcomeUnknownOrOverloaded"];
        };
    };
    deliverDaemonConnectEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DaemonConnectEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverDaemonDisconnectEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DaemonDisconnectEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverAgentStatusEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentStatusEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverAgentGeneratingStartedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentGeneratingStartedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverAgentGeneratingCompletedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentGeneratingCompletedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverAgentWaitingApprovalEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentWaitingApprovalEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverAgentWaitingChoiceEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentWaitingChoiceEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverAgentStoppedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentStoppedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverMonitorNoProgressEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MonitorNoProgressEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverCommandCompletedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommandCompletedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverApprovalRequestedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalRequestedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverApprovalResolvedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalResolvedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverJobCompletedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobCompletedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverDaemonIdentityCopiedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DaemonIdentityCopiedEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliverWebhookTestEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The name of the event */
                "X-Service-Event": string;
                /** @description `t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret */
                "X-Service-Signature": string;
                /** @description The id of the delivery, the same in all attempts: deduplicate by it */
                "X-Service-Delivery": string;
                /** @description 1 to 4 */
                "X-Service-Attempt": string;
                /** @description The id of the delivery (Standard Webhooks) */
                "webhook-id": string;
                /** @description Epoch seconds of the attempt (Standard Webhooks) */
                "webhook-timestamp": string;
                /** @description The signature (Standard Webhooks) */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description Ends this delivery: no further attempt is made */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: the hub tries again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
