package io.sagaspring.sample.web;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRefusedException;
import io.sagaspring.workflow.UnknownException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/** Turns what controllers throw into problem details. What Spring MVC itself refuses, the superclass does. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    @ExceptionHandler
    ResponseEntity<ProblemDetail> refused(TransitionRefusedException refused) {
        TransitionOutcome outcome = refused.outcome();
        boolean unprocessable =
                outcome instanceof TransitionOutcome.Rejected || outcome instanceof TransitionOutcome.Failed;
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                unprocessable ? HttpStatus.UNPROCESSABLE_CONTENT : HttpStatus.CONFLICT, outcome.sentence());
        problem.setProperty("outcome", outcome.name());
        if (outcome instanceof TransitionOutcome.NotApplicable notApplicable) {
            problem.setProperty("currentStatus", notApplicable.currentStatus());
            problem.setProperty("possibleSteps", notApplicable.possibleSteps());
        }
        if (outcome instanceof TransitionOutcome.Rejected rejected) {
            problem.setProperty("messages", rejected.messages());
        }
        return answer(problem);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> unknown(UnknownException unknown) {
        return answer(
                unknown instanceof UnknownException.UnknownRequester
                        ? unknownRequester(unknown.getMessage())
                        : ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, unknown.getMessage()));
    }

    private static ProblemDetail unknownRequester(@Nullable String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, detail);
        problem.setProperty("outcome", "UnknownRequester");
        return problem;
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> unknownOutcome(OutcomeUnknownException unknown) {
        log.error("Nobody knows whether a commit took place", unknown);
        return answer(ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE,
                "The database was lost at the commit, so whether it was done is not known. Read it again."));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> failed(Exception failure) {
        log.error("A request failed", failure);
        return answer(
                ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR, "Something failed on our side."));
    }

    /** Not negotiated: a client that accepts nothing we have is told so, too. */
    static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
        return ResponseEntity.status(problem.getStatus())
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem);
    }

    @Override
    protected ResponseEntity<Object> createResponseEntity(
            @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return ResponseEntity.status(status)
                .headers(headers)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(body);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException mismatch, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return mismatch.getRequiredType() == Requester.class
                ? handleExceptionInternal(
                        mismatch,
                        unknownRequester("There is no requester '%s'.".formatted(mismatch.getValue())),
                        headers,
                        status,
                        request)
                : super.handleTypeMismatch(mismatch, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException invalid, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        invalid.getBody()
                .setDetail(sentence(invalid.getFieldErrors().stream()
                        .map(error -> "%s %s".formatted(error.getField(), error.getDefaultMessage()))));
        return super.handleMethodArgumentNotValid(invalid, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
            HandlerMethodValidationException invalid, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        invalid.getBody()
                .setDetail(sentence(invalid.getParameterValidationResults().stream()
                        .flatMap(result -> result.getResolvableErrors().stream()
                                .map(error -> "%s %s"
                                        .formatted(
                                                result.getMethodParameter().getParameterName(),
                                                error.getDefaultMessage())))));
        return super.handleHandlerMethodValidationException(invalid, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleNoResourceFoundException(
            NoResourceFoundException missing, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        missing.getBody().setDetail("There is nothing at /%s.".formatted(missing.getResourcePath()));
        return super.handleNoResourceFoundException(missing, headers, status, request);
    }

    private static String sentence(Stream<String> complaints) {
        return complaints.sorted().collect(Collectors.joining(", ", "Not as it must be: ", "."));
    }
}
