package io.sagaspring.sample.dunning;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.sample.dunning.DunningChains.Start;
import io.sagaspring.sample.dunning.DunningLoops.Story;
import io.sagaspring.sample.web.NotFoundException;
import jakarta.validation.Valid;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/dunning/{loopId}")
class DunningController {

    private final DunningChains chains;
    private final DunningLoops loops;

    DunningController(DunningChains chains, DunningLoops loops) {
        this.chains = chains;
        this.loops = loops;
    }

    @PostMapping("/start")
    ResponseEntity<Answer> start(@PathVariable @DunningId String loopId, @RequestBody @Valid DunningRequest request) {
        Start start = chains.start(loopId, request.stories(), request.step());
        return ResponseEntity.status(start.isStarted() ? HttpStatus.ACCEPTED : HttpStatus.OK)
                .body(Answer.to(start));
    }

    @GetMapping
    Loop one(@PathVariable @DunningId String loopId) {
        List<Story> stories = loops.stories(loopId);
        if (stories.isEmpty()) {
            throw NotFoundException.of("dunning loop", loopId);
        }
        return new Loop(stories.stream().allMatch(Story::isPassed) ? "passed" : "running", stories);
    }

    record Answer(
            String status,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Long token) {

        static Answer to(Start start) {
            FencingToken token = start.token();
            return new Answer(start.status(), token == null ? null : token.value());
        }
    }

    record Loop(String state, List<Story> stories) {}
}
