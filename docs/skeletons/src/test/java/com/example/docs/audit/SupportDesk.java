package com.example.docs.audit;

import io.sagaspring.operations.AuditEntry;
import io.sagaspring.operations.AuditLog;
import io.sagaspring.operations.AuditQuery;
import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.RunOperations;
import io.sagaspring.run.RunId;
import java.util.List;
import org.springframework.stereotype.Service;

@Service
class SupportDesk {

    private final RunOperations runs;
    private final AuditLog audit;

    SupportDesk(RunOperations runs, AuditLog audit) {
        this.runs = runs;
        this.audit = audit;
    }

    String cancel(RunId run, String reason, String person) {
        OperationResult result = runs.cancel(run, reason, Operator.named(person));
        return result.message();
    }

    List<AuditEntry> history(RunId run) {
        return audit.list(AuditQuery.latest(20).on("run", run.toString()));
    }
}
