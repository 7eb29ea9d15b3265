# editgauge with what the tables of all four benchmarks need; no weights, no data.
# CPU:  docker build -t editgauge .
# CUDA: docker build -t editgauge-cuda --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu128 .
FROM python:3.12-slim
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ARG TORCH=2.13.0
RUN useradd --create-home --uid 1000 editgauge
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
RUN pip install --no-cache-dir "torch==$TORCH" --index-url "$TORCH_INDEX" \
 && pip install --no-cache-dir "/src[texteditbench,textedit,medebench,krisbench,study,report]" \
 && rm -rf /src
USER 1000
WORKDIR /work
ENTRYPOINT ["editgauge"]
CMD ["--help"]
