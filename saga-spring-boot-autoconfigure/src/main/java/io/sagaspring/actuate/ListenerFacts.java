package io.sagaspring.actuate;

import io.sagaspring.due.Backlog;
import io.sagaspring.listener.ListenerBacklog;
import java.util.List;

/** The answers of the database about the deliveries of durable listeners. */
record ListenerFacts(List<ListenerBacklog> listeners) {

    int parked() {
        return listeners.stream().mapToInt(ListenerBacklog::parked).sum();
    }

    /** Returns the numbers of deliveries that could begin now, by listener. */
    List<Backlog> due() {
        return listeners.stream()
                .filter(each -> each.due() > 0)
                .map(each -> new Backlog(each.listener(), each.known(), each.due(), each.overdue()))
                .toList();
    }
}
