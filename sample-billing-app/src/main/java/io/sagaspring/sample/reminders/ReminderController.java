package io.sagaspring.sample.reminders;

import io.sagaspring.definition.Requester;
import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.sample.web.Storable;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/reminders")
class ReminderController {

    private final Reminders reminders;
    private final Workflows workflows;

    ReminderController(Reminders reminders, Workflows workflows) {
        this.reminders = reminders;
        this.workflows = workflows;
    }

    @PostMapping
    ResponseEntity<ReminderView> write(@RequestBody @Valid ReminderRequest request) {
        ReminderView reminder = ReminderView.of(reminders.save(new Reminder(request.about())));
        return ResponseEntity.created(URI.create("/api/reminders/" + reminder.id()))
                .body(reminder);
    }

    @GetMapping("/{id}")
    ReminderView one(@PathVariable long id) {
        return reminders.findById(id).map(ReminderView::of).orElseThrow(() -> NotFoundException.of("reminder", id));
    }

    @PostMapping("/{id}/steps/{stepKey}")
    Answer run(@PathVariable long id, @PathVariable String stepKey, Requester requester) {
        TransitionOutcome outcome = workflows.run("reminder", id, stepKey, requester);
        return new Answer(outcome.orElseThrow());
    }

    record ReminderRequest(
            @NotBlank @Storable @Size(max = 200) String about) {}

    record ReminderView(@Nullable Long id, String about, ReminderStatus status, long version) {

        static ReminderView of(Reminder reminder) {
            return new ReminderView(reminder.id(), reminder.about(), reminder.status(), reminder.version());
        }
    }

    record Answer(String outcome, String status) {

        Answer(TransitionOutcome.Completed completed) {
            this(completed.name(), completed.status());
        }
    }
}
