package io.sagaspring.sample;

import java.util.UUID;
import org.springframework.stereotype.Component;

/** This instance, as it shows to people. No earlier one had the same name, though it had the same process id. */
@Component
public final class Node {

    private final String name;

    /** Names this start of the process. */
    public Node() {
        this.name = ProcessHandle.current().pid() + "-"
                + UUID.randomUUID().toString().substring(0, 8);
    }

    /**
     * How it is called.
     *
     * @return process id, and a part of its own
     */
    public String name() {
        return name;
    }
}
