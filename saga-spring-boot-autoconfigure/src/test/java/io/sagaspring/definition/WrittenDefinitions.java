package io.sagaspring.definition;

/** Definitions of workflows that break no rule. Tests change one or two of their lines. */
final class WrittenDefinitions {

    static final String SOUND = """
            billing:
              module: billing
              entity: com.example.Billing
              status-types: [DRAFT, APPROVED, CLOSING, CLOSED, OPENING]
              requesters: [admin, system]
              steps:
                - step-id: 10
                  step-key: close
                  status: APPROVED
                  claim-state: { admin: [CLOSING, APPROVED] }
                  successful-state: { any: CLOSED }
                  validation: { any: isComplete }
                  action: { any: close }
                  success-after-effect: { any: email }
                - step-id: 20
                  step-key: reopen
                  status: CLOSED
                  claim-state: { admin: [OPENING, CLOSED] }
                  successful-state: { admin: DRAFT }
                  action: { admin: reopen }
            """;

    /** The definition without its list of requesters. Its steps name only the administrator. */
    static final String UNLISTED = SOUND.replace("  requesters: [admin, system]\n", "");

    static final String ANOTHER = """
            dunning:
              module: billing
              entity: com.example.Billing
              status-types: [APPROVED, CLOSING, DUNNED]
              requesters: [clerk]
              steps:
                - { step-id: 1, step-key: dun, status: APPROVED, claim-state: { clerk: [CLOSING, APPROVED] },
                    successful-state: { clerk: DUNNED }, action: { clerk: dun } }
            """;

    private WrittenDefinitions() {}
}
