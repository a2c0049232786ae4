package io.sagaspring.sample.payouts;

import io.sagaspring.run.QueueControl;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.NoSuchQueueException;
import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.sample.web.Storable;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/queues")
class QueuesController {

    /**
     * The person who pauses or resumes a queue. The sample has no authentication. Your own application names the
     * authenticated user here.
     */
    private static final String VISITOR = "a visitor";

    private final Runs runs;

    QueuesController(Runs runs) {
        this.runs = runs;
    }

    record Queue(String name, boolean paused, int atOnce, int inUse, int waiting) {

        static Queue of(QueueDepth depth) {
            return new Queue(depth.queue(), depth.isPaused(), depth.limits().atOnce(), depth.inUse(), depth.waiting());
        }
    }

    record Pause(@NotBlank @Storable @Size(max = 500) String reason) {}

    @GetMapping("/{name}")
    Queue one(@PathVariable String name) {
        return Queue.of(queue(name).depth());
    }

    /** Pauses the queue and returns it, even if it was paused already. */
    @PostMapping("/{name}/pause")
    Queue pause(@PathVariable String name, @RequestBody @Valid Pause pause) {
        boolean unused = queue(name).pause(pause.reason(), VISITOR);
        return one(name);
    }

    @PostMapping("/{name}/resume")
    Queue resume(@PathVariable String name) {
        boolean unused = queue(name).resume(VISITOR);
        return one(name);
    }

    private QueueControl queue(String name) {
        try {
            return runs.queue(name);
        } catch (NoSuchQueueException unknown) {
            throw NotFoundException.of("queue", name);
        }
    }
}
